import Foundation

/// Writes text files as string literals (`WebEmbedder OUTPUT FILE…`), for the plugin `EmbedWeb`.
@main
struct WebEmbedder {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let output = arguments.first else { fail("usage: WebEmbedder OUTPUT FILE…") }
        var source = "/// The files of the page: their names and what is in them.\nenum WebFiles {\n"
        source += "    static let all: [(name: String, text: String)] = [\n"
        for path in arguments.dropFirst() {
            let url = URL(filePath: path)
            guard let text = String(data: try Data(contentsOf: url), encoding: .utf8), !text.contains("\0") else {
                fail("\(path): the file cannot be embedded, because it is not text in UTF-8")
            }
            // Swift reads any line end in a literal as a line feed.
            let lines = text.replacingOccurrences(of: "\r\n", with: "\n")
            let marks = String(repeating: "#", count: longestRunOfMarks(in: lines) + 1)
            source += "        (\n\"\(url.lastPathComponent)\",\n\(marks)\"\"\"\n\(lines)\n\"\"\"\(marks)),\n"
        }
        source += "    ]\n}\n"
        try source.write(toFile: output, atomically: true, encoding: .utf8)
    }

    /// Returns the length of the longest run of `#` in a text.
    ///
    /// In a literal whose delimiter has one `#` more, the text can neither end the literal nor begin an interpolation.
    private static func longestRunOfMarks(in text: String) -> Int {
        text.split { $0 != "#" }.map(\.count).max() ?? 0
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("error: \(message)\n".utf8))
        exit(1)
    }
}
