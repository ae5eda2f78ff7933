import Foundation
import PackagePlugin

/// Gives a target the files of its folder `Web`, wherever that is below it, as `WebFiles.all`.
@main
struct EmbedWeb: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let files = try FileManager.default.subpathsOfDirectory(atPath: target.directoryURL.path)
            .map { target.directoryURL.appending(path: $0) }
            .filter {
                $0.deletingLastPathComponent().lastPathComponent == "Web" && !$0.lastPathComponent.hasPrefix(".")
            }
            .sorted { $0.path < $1.path }
        let output = context.pluginWorkDirectoryURL.appending(path: "WebFiles.swift")
        return [
            .buildCommand(
                displayName: "Embedding the page of \(target.name)",
                executable: try context.tool(named: "WebEmbedder").url,
                arguments: [output.path] + files.map(\.path), inputFiles: files, outputFiles: [output])
        ]
    }
}
