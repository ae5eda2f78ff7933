import Foundation

/// The project's documents, found relative to this file, and their blocks.
enum Documents {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL.resolvingSymlinksInPath()

    /// The paths of all documents whose examples are checked.
    static let paths = Markdown.paths.filter {
        $0.hasPrefix("docs/") || $0.contains(".docc/") || !$0.contains("/")
    }

    static func read(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// A block between two fences.
    struct Block: Equatable {
        var language: String
        var text: String
        /// The number of the line with the opening fence, from 1.
        var line: Int
    }

    static func blocks(in document: String) -> [Block] {
        var blocks: [Block] = []
        var open: Block?
        for (index, line) in document.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```") {
                if let block = open {
                    blocks.append(block)
                    open = nil
                } else {
                    open = Block(language: String(line.dropFirst(3)), text: "", line: index + 1)
                }
            } else if open != nil {
                open?.text += line + "\n"
            }
        }
        return blocks
    }

    /// Returns the marked regions of a source file by name, without their common indentation.
    static func regions(in source: String) -> [String: String] {
        var regions: [String: String] = [:]
        var open: (name: String, lines: [Substring])?
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            if let mark = line.firstRange(of: "// Shown: ") {
                let name = String(line[mark.upperBound...])
                if name == "end", let (name, lines) = open {
                    regions[name] = withoutIndentation(lines)
                    open = nil
                } else {
                    open = (name, [])
                }
            } else {
                open?.lines.append(line)
            }
        }
        return regions
    }

    private static func withoutIndentation(_ lines: [Substring]) -> String {
        let indentation = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { $0.dropFirst(indentation) + "\n" }.joined()
    }

    /// The folders with the code of examples.
    ///
    /// The first one is beside this file. The examples of the simulated frameworks, which exist on Linux only, are in
    /// the folders of their own tests, of sample apps, of tutorials and of migration examples.
    private static let folders = [
        "Examples/Tests/DocumentationTests/Examples", "Tests/SampleApps/Swift5", "Tests/SimulatedAppleTests",
        "Tests/MigrationExamples", "Tests/SwiftUITutorials", "Tests/SimulatedSwiftUITests", "Tests/ApusDeviceTests",
    ]

    /// Returns the regions of the examples, which the documents have to show.
    static func compiledExamples() throws -> [String: String] {
        var examples: [String: String] = [:]
        for folder in folders {
            let files = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
            for file in files.sorted() where file.hasSuffix(".swift") {
                examples.merge(regions(in: try read("\(folder)/\(file)"))) { first, _ in first }
            }
        }
        return examples
    }

    /// Returns a message for each Swift block of a document that differs from all `compiled` regions.
    static func objections(toSwiftIn document: String, compiled: [String: String]) -> [String] {
        blocks(in: document).filter { $0.language == "swift" && !compiled.values.contains($0.text) }.map {
            "line \($0.line): this Swift block is not, word for word, a region of \(folders.joined(separator: " or "))"
        }
    }
}
