import Testing

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
