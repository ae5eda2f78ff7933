import Testing

/// Rules for builds without traits, which must not contain what a trait adds.
enum Traits {
    /// The files and modules that belong to a trait.
    struct Rule: Sendable {
        var trait: String
        /// The folders and files in which all code must be compiled only with the trait.
        var paths: [String]
        /// The names of the files in these folders whose code may also be compiled without the trait.
        var unconditional: Set<String> = []
        /// The modules that no other code may import.
        var modules: [String]
    }

    static let rules = [
        Rule(
            trait: "SQLite", paths: ["Sources/ApusSQLite", "Tests/ApusSQLiteTests", "Tests/ApusStoreProbe"],
            modules: ["GRDB"]),
        Rule(
            trait: "Postgres", paths: ["Sources/ApusPostgres", "Tests/ApusPostgresTests"],
            // These are pure, and are also tested without the trait.
            unconditional: ["MembershipMachine", "DatabaseClock", "MembershipTests", "DatabaseClockTests"],
            modules: ["CPostgres"]),
        Rule(
            trait: "Tracing", paths: ["Sources/ApusTracing", "Tests/ApusJobsTests/TracingTests.swift"],
            modules: ["Tracing", "InMemoryTracing"]),
        Rule(
            trait: "ServiceLifecycle",
            paths: [
                "Sources/ApusServiceLifecycle", "Tests/ApusLinuxTests/JobSchedulerServiceTests.swift",
                "Tests/ApusLinuxTests/LinuxHostServiceTests.swift",
            ],
            modules: ["ServiceLifecycle"]),
        Rule(
            trait: "SimulatedApple",
            paths: [
                "Sources/SimulatedApple/SimulatedCombine", "Sources/SimulatedApple/SimulatedSwiftUI",
                "Tests/SimulatedSwiftUITests", "Tests/SwiftUITutorials",
            ],
            modules: ["OpenCombine"]),
    ]

    /// Returns the condition of the first `#if` of a file if all code of the file is within it; `nil` otherwise.
    static func condition(of text: String) -> Substring? {
        guard text.has("#if ") else { return nil }
        let lines = SourceText(text).lines.filter { !$0.allSatisfy(\.isWhitespace) }
        guard let first = lines.first?.trimmed, first.hasPrefix("#if "), lines.last?.trimmed == "#endif" else {
            return nil
        }
        var depth = 0
        for (index, line) in lines.enumerated() {
            let word = line.trimmed.prefix { !$0.isWhitespace }
            if word == "#if" { depth += 1 }
            if word == "#endif" { depth -= 1 }
            if depth == 1, word == "#else" || word == "#elseif" { return nil }
            if depth == 0, index < lines.count - 1 { return nil }
        }
        return depth == 0 ? first.dropFirst("#if ".count) : nil
    }

    static func isConditional(_ text: String, _ trait: String) -> Bool {
        condition(of: text).map { [trait, "\(trait) && SQLite"].contains(String($0)) } ?? false
    }
}

extension StringProtocol {
    fileprivate var trimmed: SubSequence {
        let start = drop(while: \.isWhitespace)
        return start.prefix(start.reversed().drop(while: \.isWhitespace).count)
    }
}

@Suite("A build without traits needs nothing of what they add")
struct TraitTests {
    private func files(of rule: Traits.Rule) throws -> [ProjectFiles.File] {
        try rule.paths.flatMap { path in
            path.hasSuffix(".swift")
                ? [ProjectFiles.File(path: path, text: try ProjectFiles.read(path))]
                : try ProjectFiles.swiftFiles(below: path).filter {
                    !$0.path.has(".docc/") && !$0.path.hasSuffix("/WithoutTrait.swift")
                }
        }
    }

    @Test("the code of a trait is compiled with it only, except what is pure", arguments: Traits.rules.indices)
    func files(index: Int) throws {
        let rule = Traits.rules[index]
        let files = try files(of: rule)
        #expect(!files.isEmpty)
        for file in files {
            let name = String(file.path.split(separator: "/").last!.dropLast(".swift".count))
            let isConditional = Traits.isConditional(file.text, rule.trait)
            #expect(
                isConditional != rule.unconditional.contains(name), "\(file.path): with \(rule.trait) only, or not?")
        }
    }

    @Test("no other library or test of one imports what a trait adds")
    func imports() throws {
        let all = try ["Sources", "Tests"].flatMap(ProjectFiles.swiftFiles).filter { !$0.path.has(".docc/") }
        for rule in Traits.rules {
            let named = all.filter { file in rule.modules.contains { file.text.has($0) } }
            #expect(!named.isEmpty)
            for file in named where !Traits.isConditional(file.text, rule.trait) {
                for line in SourceText(file.text).lines {
                    let words = line.split(separator: " ").map(String.init)
                    guard let index = words.firstIndex(of: "import"), index + 1 < words.count else { continue }
                    let isOfTrait = rule.modules.contains { words[index + 1].hasPrefix($0) }
                    let isInAnother = Traits.condition(of: file.text)?.contains(rule.trait) ?? false
                    #expect(!isOfTrait || isInAnother, "\(file.path) imports \(words[index + 1])")
                }
            }
        }
    }

    @Test("make and the other packages name the trait for all")
    func makefile() throws {
        #expect(try ProjectFiles.read("Makefile").contains("\nLIBRARIES = --traits All "))
        for package in ["Command", "Examples", "Benchmarks"] {
            let manifest = try ProjectFiles.read("\(package)/Package.swift")
            #expect(manifest.contains(#".package(name: "apus", path: "..", traits: ["All"])"#), "\(package)")
        }
    }

    @Test(
        "code outside of the condition, or in another branch, is found",
        arguments: [
            "import A", "#if Postgres\n#endif\nimport A", "import A\n#if Postgres\n#endif",
            "#if Postgres\nimport A\n#else\nimport B\n#endif", "#if os(Linux)\nimport A\n#endif",
            "#if Postgres\n#endif\nimport B\n#if Postgres\n#endif", "#if SQLite\nimport A\n#endif", "",
        ])
    func rejectedFiles(text: String) {
        #expect(!Traits.isConditional(text, "Postgres"))
    }

    @Test("conditions inside of the condition, and comments before it, are accepted")
    func acceptedFiles() {
        #expect(
            Traits.isConditional(
                "// why\n#if Postgres\n  #if os(Linux)\n  #else\n  #endif\nimport A\n#endif\n", "Postgres"))
    }
}
