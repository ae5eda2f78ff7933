import Testing

/// Tests that the modules of the core do not import Foundation.
///
/// An app pays for everything that the core links, and most of that would be the locale data of Foundation. ApusJobs
/// needs `FoundationEssentials` for JSON; on Apple's systems, that is a part of `Foundation`.
@Suite("The core is without Foundation")
struct CoreImportsTests {
    static func objections(to source: String, mayUseEssentials: Bool) -> [String] {
        guard source.has("Foundation") else { return [] }
        var last = ""
        return SourceText(source).lines.enumerated().compactMap { index, line in
            let words = line.split(separator: " ")
            defer { if !words.isEmpty { last = words.joined(separator: " ") } }
            guard words.contains("import"), let name = words.last(where: { $0.hasPrefix("Foundation") }) else {
                return nil
            }
            if mayUseEssentials, name == "FoundationEssentials" || last == "#else" && name == "Foundation" {
                return nil
            }
            return "\(index + 1): the core does without \(name)"
        }
    }

    @Test(
        "no file of the core imports Foundation",
        arguments: ["TimerWheel", "ApusCalendar", "ApusTimers", "ApusBackground", "ApusJobs", "Apus"])
    func sources(module: String) throws {
        let files = try ProjectFiles.swiftFiles(below: "Sources/\(module)").filter { !$0.path.has(".docc/") }
        #expect(!files.isEmpty)
        for file in files {
            let objections = Self.objections(to: file.text, mayUseEssentials: module == "ApusJobs")
            #expect(objections.isEmpty, "\(file.path)")
        }
    }

    @Test(
        "Foundation is rejected, and its essentials where they are not needed",
        arguments: [
            ("import Foundation", true), ("public import struct Foundation.Date", true),
            ("#if canImport(Glibc)\nimport FoundationNetworking\n#endif", true), ("import FoundationEssentials", false),
            ("#if canImport(FoundationEssentials)\n#else\nimport Foundation\n#endif", false),
        ])
    func rejects(source: String, mayUseEssentials: Bool) {
        #expect(Self.objections(to: source, mayUseEssentials: mayUseEssentials).count == 1)
    }

    @Test(
        "the essentials are accepted, and a mention that imports nothing",
        arguments: [
            "#if canImport(FoundationEssentials)\nimport FoundationEssentials\n#else\npublic import Foundation\n#endif",
            "// import Foundation", "import ApusTimers", "let text = \"import Foundation\"",
        ])
    func accepts(source: String) { #expect(Self.objections(to: source, mayUseEssentials: true).isEmpty) }
}
