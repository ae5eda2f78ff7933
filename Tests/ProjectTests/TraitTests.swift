import Testing

/// Rules that keep the package free of libpq without the trait `Postgres`.
enum Traits {
    /// Whether all code of a file is in one `#if Postgres`.
    static func isConditional(_ text: String) -> Bool {
        let lines = SourceText(text).lines.filter { !$0.allSatisfy(\.isWhitespace) }
        guard lines.first?.trimmed == "#if Postgres", lines.last?.trimmed == "#endif" else { return false }
        var depth = 0
        for (index, line) in lines.enumerated() {
            let word = line.trimmed.prefix { !$0.isWhitespace }
            if word == "#if" { depth += 1 }
            if word == "#endif" { depth -= 1 }
            if depth == 1, word == "#else" || word == "#elseif" { return false }
            if depth == 0, index < lines.count - 1 { return false }
        }
        return depth == 0
    }

    /// The lines of a manifest that depend on libpq without asking for the trait.
    static func unconditionalDependencies(inManifest manifest: String) -> [String] {
        manifest.split(separator: "\n").map(\.trimmed).filter { line in
            line.contains("\"CPostgres\"") && !line.contains("condition: .when(traits: [\"Postgres\"])")
                && !line.hasPrefix("name: \"CPostgres\", pkgConfig:")
        }
    }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}

@Suite("Without the trait Postgres nothing needs libpq")
struct TraitTests {
    /// Pure, and tested without the trait too.
    private static let unconditional: Set = [
        "MembershipMachine", "DatabaseClock", "MembershipTests", "DatabaseClockTests",
    ]

    @Test("everything in ApusPostgres and its tests is compiled with the trait only, except the pure parts")
    func files() throws {
        let files =
            try ProjectFiles.swiftFiles(below: "Sources/ApusPostgres")
            + ProjectFiles.swiftFiles(below: "Tests/ApusPostgresTests")
        #expect(files.count > 10)
        for file in files {
            let name = String(file.path.split(separator: "/").last!.dropLast(".swift".count))
            let isConditional = Traits.isConditional(file.text)
            #expect(isConditional != Self.unconditional.contains(name), "\(file.path): with the trait only, or not?")
        }
    }

    @Test("no other module imports libpq")
    func imports() throws {
        for file in try ProjectFiles.sources() where !file.path.hasPrefix("Sources/ApusPostgres/") {
            #expect(!file.text.contains("import CPostgres"), "\(file.path)")
        }
    }

    @Test("the manifest depends on libpq with the trait only, and make builds with the trait")
    func manifest() throws {
        let manifest = try ProjectFiles.read("Package.swift")
        #expect(manifest.contains("name: \"CPostgres\", pkgConfig: \"libpq\""))
        #expect(Traits.unconditionalDependencies(inManifest: manifest) == [])
        #expect(try ProjectFiles.read("Makefile").contains("\nexport TRAITS ?= --traits Postgres\n"))
    }

    @Test(
        "code outside of the condition, or in another branch, is found",
        arguments: [
            "import A", "#if Postgres\n#endif\nimport A", "import A\n#if Postgres\n#endif",
            "#if Postgres\nimport A\n#else\nimport B\n#endif", "#if os(Linux)\nimport A\n#endif",
            "#if Postgres\n#endif\nimport B\n#if Postgres\n#endif", "",
        ])
    func rejectedFiles(text: String) {
        #expect(!Traits.isConditional(text))
    }

    @Test("conditions inside of the condition, and comments before it, are accepted")
    func acceptedFiles() {
        #expect(Traits.isConditional("// why\n#if Postgres\n  #if os(Linux)\n  #else\n  #endif\nimport A\n#endif\n"))
    }

    @Test("a dependency without the condition is found")
    func rejectedManifest() {
        let lines = [
            ".target(name: \"A\", dependencies: [\"CPostgres\"]),",
            ".target(name: \"CPostgres\", condition: .when(traits: [\"Postgres\"])),",
        ]
        #expect(Traits.unconditionalDependencies(inManifest: lines.joined(separator: "\n")) == [lines[0]])
    }
}
