import Testing

@Suite("Banned words")
struct BannedWordsTests {
    @Test("sources have none of the banned words")
    func sources() throws {
        var used: Set<String> = []
        var read = 0
        for file in try BannedWords.roots.flatMap(BannedWords.files) {
            read += 1
            let findings = BannedWords.findings(in: file.text)
            guard !findings.isEmpty else { continue }
            let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
            for finding in findings {
                let exception = BannedWords.exceptions.first {
                    $0.path == file.path && lines[finding.line - 1].contains($0.text)
                }
                if let exception {
                    used.insert(exception.path + exception.text)
                } else {
                    Issue.record(
                        "\(file.path):\(finding.line): “\(finding.phrase)”; use: \(finding.replacement)")
                }
            }
        }
        #expect(read > 500, "the roots are found")
        for exception in BannedWords.exceptions {
            #expect(
                used.contains(exception.path + exception.text),
                "the exception for “\(exception.text)” in \(exception.path) is not needed any more")
        }
    }

    @Test(
        "a banned word is found in any case, in a name, and over the end of a line",
        arguments: [
            ("// Tells the owner.", 1, "tells"),
            ("let a = 1\n/// The run GOES ON.", 2, "goes on"),
            ("/// Whether the handler goes\n    /// on after the end.", 1, "goes on"),
            ("func tellHost() {}", 1, "tell"),
            ("private mutating func letGo() {}", 1, "let go"),
            ("var isTold = false", 1, "told"),
            ("int let_go(void);", 1, "let go"),
            ("let text = \"is it behind?\"", 1, "behind"),
            ("let text = \"ran\\ntold\"", 1, "told"),
            ("/* This is the one that\n * was there. */", 1, "the one that"),
        ])
    func found(text: String, line: Int, phrase: String) throws {
        let finding = try #require(BannedWords.findings(in: text).first)
        #expect(finding.line == line)
        #expect(finding.phrase == phrase)
        #expect(!finding.replacement.isEmpty)
    }

    @Test(
        "a part of another word, and words that only stand beside each other, are no finding",
        arguments: [
            "// A storyteller, satellites, and a shallow retelling; indoors.",
            "// It goes. On a phone, let it go.",
            "let value = go(on: phone)",
            "// The one of the two that ended first.",
            "// Notifies the owner, continues after it, and releases it.",
        ])
    func notFound(text: String) {
        #expect(BannedWords.findings(in: text) == [])
    }

    @Test("each finding of a text is named with its line")
    func several() {
        let text = "// Whoever is told,\n// goes\n// on.\nlet seldom = 0\n"
        #expect(
            BannedWords.findings(in: text).map { "\($0.line) \($0.phrase)" }
                == ["1 whoever", "1 told", "2 goes on", "4 seldom"])
    }
}
