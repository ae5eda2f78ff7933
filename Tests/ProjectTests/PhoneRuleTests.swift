import Foundation
import Testing

/// Checks the table of docs/phone-rules.md.
@Suite("The rules of a phone")
struct PhoneRuleTests {
    private struct Row {
        let rule: String
        let source: String
        let tests: [String]
        let remark: String?
    }

    private static func rows() throws -> [Row] {
        try ProjectFiles.read("docs/phone-rules.md").split(separator: "\n").compactMap { line in
            guard line.hasPrefix("| "), !line.hasPrefix("| rule |") else { return nil }
            let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
            guard cells.count == 3 else { return Row(rule: String(line), source: "", tests: [], remark: nil) }
            let isRemark = cells[2].hasPrefix("not simulated") || cells[2].hasPrefix("differs: ")
            let parts = cells[2].split(separator: "`", omittingEmptySubsequences: false)
            // The texts between two backticks are names, and the texts around them are ", ".
            let names = parts.indices.filter { !$0.isMultiple(of: 2) }.map { String(parts[$0]) }
            return Row(
                rule: cells[0], source: cells[1], tests: isRemark ? [] : names, remark: isRemark ? cells[2] : nil)
        }
    }

    /// Returns the names of all tests of the phone, as they are written in the sources.
    private static func testNames() throws -> Set<String> {
        var names: Set<String> = []
        for folder in [
            "ApusDeviceTests", "SimulatedAppleTests", "SimulatedSwiftUITests", "ProcessClockTests", "ApusAppleTests",
        ] {
            for file in try ProjectFiles.swiftFiles(below: "Tests/\(folder)") {
                for place in file.text.places(of: "@Test(") {
                    let name = file.text[place.upperBound...].drop(while: \.isWhitespace)
                    if name.first == "\"" { names.insert(String(name.dropFirst().prefix { $0 != "\"" })) }
                }
            }
        }
        return names
    }

    @Test("each rule has a source, and tests that exist or a remark why it has none; no rule is there twice")
    func rows() throws {
        let rows = try Self.rows()
        let names = try Self.testNames()
        #expect(names.count > 400)
        for row in rows {
            #expect(!row.source.isEmpty, "“\(row.rule)” has no source, or not three columns")
            #expect(!row.tests.isEmpty || row.remark != nil, "“\(row.rule)” has neither a test nor a remark")
            for test in row.tests { #expect(names.contains(test), "“\(row.rule)”: there is no test “\(test)”") }
        }
        #expect(Set(rows.map(\.rule)).count == rows.count)
        let held = rows.count { $0.remark == nil }
        let missing = rows.count { $0.remark?.hasPrefix("not simulated") ?? false }
        print(
            "\(rows.count) rules: \(held) held by \(Set(rows.flatMap(\.tests)).count) tests, "
                + "\(missing) not simulated, \(rows.count - held - missing) otherwise")
    }
}
