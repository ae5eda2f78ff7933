import Foundation
import Testing

@Suite("Documents")
struct DocumentationTests {
    @Test("every Swift example in the documents is one that was compiled", arguments: Documents.paths)
    func swiftExamples(path: String) throws {
        let compiled = try Documents.compiledExamples().merging(Tutorials.texts()) { example, _ in example }
        for objection in Documents.objections(toSwiftIn: try Documents.read(path), compiled: compiled) {
            Issue.record("\(path), \(objection)")
        }
    }

    @Test(
        "what a document shows of a program of a tutorial is what the tutorial types and prints",
        arguments: Documents.paths)
    func terminals(path: String) throws {
        let typed = Set(try Tutorials.texts().values)
        let terminals = Documents.blocks(in: try Documents.read(path)).filter { $0.language == "console" }
        for block in terminals where block.text.contains("$ swift ") || path.contains(".docc/") {
            let isTyped = typed.contains(block.text)
            #expect(isTyped, "\(path), block of line \(block.line)")
        }
    }

    @Test("the documents show every compiled example")
    func allExamplesAreShown() throws {
        let shown = try Documents.paths.flatMap { Documents.blocks(in: try Documents.read($0)).map(\.text) }
        let compiled = try Documents.compiledExamples()
        #expect(compiled.count >= 7, "the marks were not understood")
        for (name, text) in compiled {
            // The comparison is outside of `#expect`, whose message would contain the lists.
            let isShown = shown.contains(text)
            #expect(isShown, "the example “\(name)” is in no document")
        }
    }

    @Test("a Swift block that was not compiled is rejected")
    func rejectsSwift() {
        let compiled = ["sample": "let a = 1\nlet b = 2\n"]
        let same = "text\n```swift\nlet a = 1\nlet b = 2\n```\n"
        #expect(Documents.objections(toSwiftIn: same, compiled: compiled) == [])
        let changed = "```swift\nlet a = 1\nlet b = 3\n```\n"
        #expect(Documents.objections(toSwiftIn: changed, compiled: compiled).count == 1)
        let invented = "```sh\nmake test\n```\n\n```swift\nlet c = 1\n```\n"
        #expect(Documents.objections(toSwiftIn: invented, compiled: compiled).first?.hasPrefix("line 5: ") == true)
    }

    @Test("regions lose their common indentation, and nothing else")
    func regions() {
        let source = "func f() {\n    // Shown: a\n    if b {\n        c()\n\n    }\n    // Shown: end\n}\n"
        #expect(Documents.regions(in: source) == ["a": "if b {\n    c()\n\n}\n"])
    }

    @Test("every apus command in the documents is one that the program takes", arguments: Documents.paths)
    func commands(path: String) throws {
        let help = try CommandHelp.ofBuiltCommand()
        for block in Documents.blocks(in: try Documents.read(path)) {
            for line in ShellLine.typed(in: block) {
                for words in ShellLine.commands(in: line) where words[0] == "apus" {
                    let objection = help.objection(to: Array(words.dropFirst()))
                    #expect(objection == nil, "\(path), block of line \(block.line): \(line)")
                }
            }
        }
        if path == "README.md" {
            let lines = Documents.blocks(in: try Documents.read(path)).flatMap { ShellLine.typed(in: $0) }
            #expect(lines.contains { $0.hasPrefix("apus ") }, "the README's commands were not found")
        }
    }

    @Test("every make target in the documents is in the Makefile", arguments: Documents.paths)
    func targets(path: String) throws {
        let makefile = "\n" + (try Documents.read("Makefile"))
        for block in Documents.blocks(in: try Documents.read(path)) {
            for line in ShellLine.typed(in: block) {
                for words in ShellLine.commands(in: line) where words[0] == "make" && words.count > 1 {
                    let target = words[1]
                    // The targets `test-PART` have no lines of their own in the Makefile; it has a variable for each
                    // part instead.
                    let isThere =
                        makefile.contains("\n\(target):")
                        || target.hasPrefix("test-")
                            && makefile.contains("\npart_\(target.dropFirst("test-".count)) = ")
                    #expect(isThere, "\(path): make \(target)")
                }
            }
        }
    }

    @Test(
        "a command that the program would refuse is rejected",
        arguments: [
            "apus later 3s -- true", "apus after 3s --loud -- true", "apus after three -- true", "apus after -- true",
            "apus every 1h --missed", "apus list --json 3", "apus completions tcsh", "apus cancel a -- b",
            "apus queue", "apus queue close builds", "apus queue limit builds", "apus queue pause builds now",
            "apus at 25:00 -- true", "apus every foo bar -- true", "apus cron '61 * * * *' -- true",
            "apus every --calendar 25:00 -- true", "true && apus after 5s --timeout 0s -- true", "apus after 3s --",
        ])
    func rejectsCommand(line: String) throws {
        let help = try CommandHelp.ofBuiltCommand()
        let words = try #require(ShellLine.commands(in: line).last)
        #expect(help.objection(to: Array(words.dropFirst())) != nil)
    }

    @Test(
        "a command that the program takes is accepted",
        arguments: [
            "apus after 25m -- notify-send tea", "apus at 'tomorrow 9:00' --notify 'Stand-up'", "apus --version",
            "apus countdown 25m && echo done", "apus cancel tea backup", "apus list --json | jq .jobs # all of them",
            "apus queue limit builds 2", "apus queue list --json", "apus wait backup --timeout 5m",
            "apus after 1h30m --label a=b --label c=d --shell -- 'echo a | wc'",
        ])
    func acceptsCommand(line: String) throws {
        let help = try CommandHelp.ofBuiltCommand()
        let words = try #require(ShellLine.commands(in: line).first)
        #expect(words.first == "apus")
        #expect(help.objection(to: Array(words.dropFirst())) == nil)
    }
}
