import Foundation
import PackagePlugin

/// Compiles rewritten copies of the Swift files in a target's folder that the target does not compile itself, because its
/// manifest excludes them.
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
            // With the original's name the compiler would warn that `#fileID` names two files. Code at the top level needs it.
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
            // What lies in the folder of another target belongs to that.
            let isOthers = others.contains { $0 != folder.path + "/" && file.path.hasPrefix($0) }
            if !isOthers { files.append(file) }
        }
        return files
    }
}
