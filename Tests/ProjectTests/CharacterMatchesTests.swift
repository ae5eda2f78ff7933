import Testing

/// Finds searches by `Character` in texts that are bytes to the system: paths, arguments, lines, headers.
///
/// To a `String`, `/` followed by a combining character is one character that is not `/`, and `\r\n` is one that is not
/// `\n`. The kernel, a shell, a database and HTTP see the bytes.
enum CharacterMatches {
    /// The modules that handle text from outside.
    static let modules = [
        "ApusClient", "ApusCommand", "ApusDaemon", "ApusDaemonProgram", "ApusLinux", "ApusPostgres",
        "ApusSQLite", "LoopbackWeb", "PathTrust",
    ]

    /// The calls that search for a literal.
    private static let forms = [
        #".split(separator: ""#, #".firstIndex(of: ""#, #".lastIndex(of: ""#, #".hasPrefix("/"#, #".hasSuffix("/"#,
        #".contains("/")"#, #".contains("=")"#, #".replacing(""#, #".replacingOccurrences(of: ""#,
        #".components(separatedBy: ""#, #"\.isNewline"#,
    ]

    /// The properties of the process in whose values Foundation replaces bytes that are not UTF-8.
    ///
    /// Only the files in the folder `library` may use them, because a library has no other source for these values.
    private static let replacing = ["processInfo.environment", "currentDirectoryPath"]
    private static let library = "Sources/ApusLinux/"

    /// Returns a message for each such search, and for each use of such a property, in a file.
    ///
    /// A search is allowed if its receiver is `unicodeScalars`, or a value whose name contains that word.
    static func objections(to source: String, path: String) -> [String] {
        let forms = forms.filter { source.has($0) }
        let replacing = path.hasPrefix(library) ? [] : replacing.filter { source.has($0) }
        guard !forms.isEmpty || !replacing.isEmpty else { return [] }
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.flatMap { index -> [String] in
            let line = lines[index].drop { $0 == " " }
            guard !line.hasPrefix("//") else { return [] }
            // The receiver of the call may be on the line before.
            let receiver = line.hasPrefix(".") && index > 0 ? String(lines[index - 1]) : ""
            let searches = forms.filter { form in
                line.has(form)
                    && line.ranges(of: form).contains { range in
                        !(receiver + line[..<range.lowerBound]).lowercased().contains("scalars")
                    }
            }.map { "\($0) compares characters; search in unicodeScalars or utf8" }
            return (searches + replacing.filter(line.has).map { "\($0) replaces bytes; ask ProcessEnvironment" })
                .map { "\(path):\(index + 1): \($0)" }
        }
    }
}

@Suite("Searches by character in text from outside")
struct CharacterMatchesTests {
    @Test("no module that handles text from outside searches it by character")
    func sources() throws {
        let sources = try ProjectFiles.sources()
        for module in CharacterMatches.modules {
            let folder = ProjectFiles.folder(ofModule: module) + "/"
            let files = sources.filter { $0.path.hasPrefix(folder) }
            #expect(!files.isEmpty)
            for file in files {
                for objection in CharacterMatches.objections(to: file.text, path: file.path) {
                    Issue.record("\(objection)")
                }
            }
        }
    }

    @Test(
        "a search for a literal in a text, and what Foundation reads with bytes replaced, are found",
        arguments: [
            #"let parts = path.split(separator: "/").map(String.init)"#, #"path.lastIndex(of: "/")"#,
            #"if path.hasPrefix("/") {}"#, #"while path.hasSuffix("/") {}"#, #"text.split(separator: "\n")"#,
            #"text.replacing("\"", with: "")"#, #"text.split(whereSeparator: \.isNewline)"#,
            "ProcessInfo.processInfo.environment", "FileManager.default.currentDirectoryPath",
            "let parts = text\n    .split(separator: \",\")",
        ])
    func rejects(source: String) {
        #expect(CharacterMatches.objections(to: source, path: "a.swift").count == 1)
    }

    @Test(
        "a search in scalars or bytes is accepted, and so is a comment",
        arguments: [
            #"path.unicodeScalars.split(separator: "/").map(String.init)"#, #"scalars[end...].lastIndex(of: "/")"#,
            #"bytes.split(separator: UInt8(ascii: "/"))"#, #"// path.split(separator: "/")"#,
            "let parts = text.unicodeScalars\n    .split(separator: \",\")", #"path.unicodeScalars.first == "/""#,
        ])
    func accepts(source: String) {
        #expect(CharacterMatches.objections(to: source, path: "a.swift") == [])
    }
}
