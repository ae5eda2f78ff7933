import Foundation
import Testing

/// Words that the project's prose and names do without, and what takes their place.
///
/// A phrase is found in comments, in texts and in code, whatever its case: over the end of a comment's line, and in
/// `camelCase` and `snake_case` names.
enum BannedWords {
    struct Rule {
        let phrase: String
        let replacement: String

        init(_ phrase: String, use replacement: String) {
            self.phrase = phrase
            self.replacement = replacement
        }
    }

    struct Finding: Hashable {
        let line: Int
        let phrase: String
        let replacement: String
    }

    /// A place where a phrase stays.
    struct Exception {
        let path: String
        /// What the phrase's line contains.
        let text: String
        let reason: String
    }

    /// A folder, with how the names of its files end, or a file.
    struct Root {
        let path: String
        var endings: [String] = []
        var excluded: [String] = []
    }

    /// Everything that people read, but the list itself and its tests.
    static let roots = [
        Root(path: "Sources", endings: [".swift", ".c", ".h", ".md", ".tutorial"]),
        Root(path: "Command", endings: [".swift", ".c", ".h", ".md", ".js", ".css", ".html"]),
        Root(path: "ObjCRewriter", endings: [".swift"]),
        Root(path: "docs", endings: [".md", ".yaml"]),
        Root(path: "Examples", endings: [".swift", ".js", ".css", ".html", ".md"]),
        Root(path: "Benchmarks", endings: [".swift", ".c", ".h", ".py", ".md"]),
        // Programs without an ending in their names.
        Root(path: "Scripts", endings: [""]), Root(path: ".ci", endings: [""]),
        Root(path: "Makefile"), Root(path: "Package.swift"),
        Root(path: "README.md"), Root(path: "CONTRIBUTING.md"), Root(path: "CHANGELOG.md"),
        Root(path: "Tests", endings: [".swift", ".c", ".h", ".py"], excluded: ["Tests/ProjectTests/BannedWords"]),
    ]

    static let rules = [
        Rule("tell", use: "report, notify, send, log"),
        Rule("tells", use: "reports, notifies, sends, logs"),
        Rule("told", use: "notified, cancelled, sent; told apart: distinguished"),
        Rule("telling", use: "reporting, notifying"),
        Rule("let go", use: "release"),
        Rule("lets go", use: "releases"),
        Rule("letting go", use: "releasing"),
        Rule("go on", use: "continue, run"),
        Rule("goes on", use: "continues, runs"),
        Rule("going on", use: "in progress, running"),
        Rule("went on", use: "continued"),
        Rule("whoever", use: "the caller, the thread, the process"),
        Rule("somebody", use: "the caller, the user, a process"),
        Rule("someone", use: "the caller, the user, a process"),
        Rule("nobody", use: "no caller, no process"),
        Rule("anybody", use: "a caller, a process"),
        Rule("anyone", use: "a caller, a process"),
        Rule("everybody", use: "all callers, every user"),
        Rule("everyone", use: "all callers, every user"),
        Rule("the one that", use: "the noun"),
        Rule("hear of", use: "be notified of, get"),
        Rule("hears of", use: "is notified of, gets"),
        Rule("behind", use: "after, below, protected by"),
        Rule("seldom", use: "rarely"),
        Rule("shall", use: "must, should"),
        Rule("wrongly", use: "by mistake; asked for wrongly: usage error"),
        Rule("door", use: "interface"),
        Rule("keep house", use: "prune, retain"),
        Rule("make way", use: "yield, be replaced"),
        Rule("makes way", use: "yields, is replaced"),
    ]

    static let exceptions = [
        Exception(
            path: "Sources/ApusJobs/Model/JobExplanation.swift", text: "case told",
            reason: "the name is public, and its raw value is in the JSON of an explanation"),
        Exception(
            path: "Sources/ApusJobs/Scheduler/Explaining.swift", text: "add(.told,",
            reason: "the name is public, and its raw value is in the JSON of an explanation"),
        Exception(
            path: "docs/jobs.md", text: "`told`", reason: "the raw value of a step of an explanation"),
        Exception(
            path: "docs/openapi.yaml", text: "running, told", reason: "the raw value of a step of an explanation"),
        Exception(
            path: "Sources/ApusPostgres/Store/StoreCompletion.swift", text: "RAISE EXCEPTION",
            reason: "the text of a function that existing databases have"),
        Exception(
            path: "Sources/ApusPostgres/Store/StoreSchema.swift", text: "going_on",
            reason: "a parameter of a function that existing databases have"),
        Exception(
            path: "Command/Tests/ApusChaos/WorkFolder.swift", text: "\"nobody\"",
            reason: "the name of a user of the system"),
        Exception(
            path: "Tests/PostgresTestServer/PostgresServer.swift", text: "user=nobody",
            reason: "the name of a user of the system"),
        Exception(
            path: "Benchmarks/Sources/ClusterBench/Server.swift", text: "user=nobody",
            reason: "the name of a user of the system"),
    ]

    /// The files of a root, with their paths from the project's root.
    static func files(of root: Root) throws -> [ProjectFiles.File] {
        guard !root.endings.isEmpty else {
            return [ProjectFiles.File(path: root.path, text: try ProjectFiles.read(root.path))]
        }
        return try ProjectFiles.texts().filter { file in
            file.path.hasPrefix(root.path + "/") && root.endings.contains { $0.isEmpty || file.path.hasSuffix($0) }
                && !root.excluded.contains { file.path.hasPrefix($0) }
        }
    }

    private static let rulesByFirstWord = Dictionary(
        grouping: rules.map { (words: $0.phrase.split(separator: " ").map(String.init), rule: $0) },
        by: { $0.words[0] })

    /// What a text has of them, in order.
    static func findings(in text: String) -> [Finding] {
        let condensed = condensed(text)
        guard condensedPhrases.contains(where: condensed.has) else { return [] }
        let words = words(of: text)
        var findings: [Finding] = []
        for (index, word) in words.enumerated() {
            for (phrase, rule) in rulesByFirstWord[word.text] ?? [] {
                let candidate = words[index...].prefix(phrase.count)
                if candidate.map(\.text) == phrase, candidate.dropFirst().allSatisfy(\.followsDirectly) {
                    findings.append(Finding(line: word.line, phrase: rule.phrase, replacement: rule.replacement))
                }
            }
        }
        return findings
    }

    private static let condensedPhrases = rules.map { condensed($0.phrase) }

    /// A text in small letters, without what may stand between the words of a phrase. Only where a condensed phrase is, can
    /// the phrase be; to search it is much faster than to make words of all texts.
    private static func condensed(_ text: String) -> String {
        var text = text
        return text.withUTF8 { bytes in
            String(unsafeUninitializedCapacity: bytes.count) { letters in
                var count = 0
                for byte in bytes {
                    switch byte {
                    case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "/"), UInt8(ascii: "*"), UInt8(ascii: "_"),
                        UInt8(ascii: "\t"):
                        continue
                    case UInt8(ascii: "A")...UInt8(ascii: "Z"): letters[count] = byte | 0x20
                    default: letters[count] = byte
                    }
                    count += 1
                }
                return count
            }
        }
    }

    private struct Word {
        var text: String
        var line: Int
        /// Between this word and the one before is nothing but space, the marks of a comment, or underscores.
        var followsDirectly: Bool
    }

    /// The words of a text in small letters. A name in camel case is several words.
    private static func words(of text: String) -> [Word] {
        var words: [Word] = []
        var letters: [UInt8] = []
        var line = 1
        var followsDirectly = true
        var endedSmall = false
        var isEscaped = false
        func endWord() {
            guard !letters.isEmpty else { return }
            words.append(
                Word(text: String(decoding: letters, as: UTF8.self), line: line, followsDirectly: followsDirectly))
            letters.removeAll(keepingCapacity: true)
            followsDirectly = true
        }
        for byte in text.utf8 {
            // The letter of an escape sequence in a literal, as of "\n", begins no word.
            if isEscaped {
                isEscaped = false
                if byte == UInt8(ascii: "n") || byte == UInt8(ascii: "t") || byte == UInt8(ascii: "r") { continue }
            }
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...:
                letters.append(byte)
                endedSmall = true
                continue
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                if endedSmall { endWord() }
                letters.append(byte | 0x20)
            case UInt8(ascii: "\n"):
                endWord()
                line += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "/"), UInt8(ascii: "*"), UInt8(ascii: "_"):
                endWord()
            default:
                endWord()
                followsDirectly = false
                isEscaped = byte == UInt8(ascii: "\\")
            }
            endedSmall = false
        }
        endWord()
        return words
    }
}

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
