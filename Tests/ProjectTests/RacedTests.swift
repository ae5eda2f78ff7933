import Testing

@Suite("What runs under the thread sanitizer")
struct RacedTests {
    /// Returns the test targets of a manifest that are in neither of the two lists of a Makefile, or in both.
    static func undecided(manifest: String, makefile: String) -> [String] {
        let lists = ["RACED", "NEVER_RACED"].map { name in
            let line = makefile.split(separator: "\n").first { $0.hasPrefix("\(name) = ") } ?? ""
            return Set(line.split(separator: " ").dropFirst(2).map(String.init))
        }
        return manifest.matches(of: /\.testTarget\(\s*name: "(\w+)"/).map { String($0.1) }
            .filter { lists[0].contains($0) == lists[1].contains($0) }
    }

    @Test("each test target is either in RACED or in NEVER_RACED")
    func targets() throws {
        let (manifest, makefile) = (try ProjectFiles.read("Package.swift"), try ProjectFiles.read("Makefile"))
        #expect(Self.undecided(manifest: manifest, makefile: "").count > 12, "the manifest was not understood")
        #expect(Self.undecided(manifest: manifest, makefile: makefile).isEmpty)
    }

    @Test("a target in no list, and one in both, is noticed")
    func samples() {
        let manifest = ".testTarget(name: \"A\"), .testTarget(\n  name: \"B\"), .testTarget(name: \"C\")"
        let makefile = "RACED = A B\nNEVER_RACED = B"
        #expect(Self.undecided(manifest: manifest, makefile: makefile) == ["B", "C"])
    }
}
