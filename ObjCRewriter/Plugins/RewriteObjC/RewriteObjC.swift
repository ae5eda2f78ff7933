import Foundation
import PackagePlugin

/// Rewrites the Swift files in a target's folder that its manifest excludes, and lets the target compile the copies.
@main
struct RewriteObjC: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let tool = try context.tool(named: "ObjCRewriter").url
        let files = try excludedFiles(of: target, in: context.package)
        if files.isEmpty {
            Diagnostics.warning(
                "the target \(target.name) has no files to rewrite; exclude them from it in Package.swift")
        }
        return files.map { file in
            let name = file.lastPathComponent
            // A copy with the original's name would give two files the same `#fileID`, and the compiler would warn.
            // `main.swift` keeps its name, because only a file of that name can have code at the top level.
            let copy = name == "main.swift" ? name : "\(file.deletingPathExtension().lastPathComponent).rewritten.swift"
            let output = context.pluginWorkDirectoryURL.appending(path: copy)
            return .buildCommand(
                displayName: "Rewriting \(name)", executable: tool, arguments: [file.path, output.path],
                inputFiles: [file], outputFiles: [output])
        }
    }

    private func excludedFiles(of target: any Target, in package: Package) throws -> [URL] {
        guard let module = target.sourceModule else { return [] }
        let compiled = Set(module.sourceFiles.filter { $0.type == .source }.map(\.url.path))
        let folder = target.directoryURL
        let others = package.targets.map { $0.directoryURL.path + "/" }.filter { $0.hasPrefix(folder.path + "/") }
        var files: [URL] = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() {
            let file = folder.appending(path: path)
            if file.pathExtension != "swift" || compiled.contains(file.path) { continue }
            // A file in the folder of another target belongs to that target.
            let isOthers = others.contains { $0 != folder.path + "/" && file.path.hasPrefix($0) }
            if !isOthers { files.append(file) }
        }
        return files
    }
}
