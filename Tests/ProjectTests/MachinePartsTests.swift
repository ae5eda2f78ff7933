import Testing

/// Compares the stored parts of `SchedulerMachine` with the table in `docs/scheduler.md`.
enum MachineParts {
    static let folder = "Sources/ApusJobs/Scheduler/Machine"

    /// Returns the stored variables of a type, with the rest of each line, such as `shards` and `: ShardOwnership`.
    static func variables(of type: String, in text: String) -> [(name: String, rest: String, isOpen: Bool)] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let begin = "struct \(type)"
        guard let first = lines.firstIndex(where: { $0.contains(begin) && $0.hasSuffix("{") }) else { return [] }
        return lines[(first + 1)...].prefix { $0 != "}" }.compactMap { line in
            guard
                let match = line.wholeMatch(
                    of: #/    (?<access>(?:[a-z()]+ )*)(?:let|var) (?<name>[A-Za-z]+)(?<rest>(?:: | = ).*)/#),
                !match.access.contains("static"), !line.hasSuffix("{"), !line.hasSuffix("}")
            else { return nil }
            let isOpen = !match.access.contains("private") && line.contains("var ")
            return (String(match.name), String(match.rest), isOpen)
        }
    }

    /// Returns the first two cells of each row of the table below a heading.
    static func rows(below heading: String, in text: String) -> [(name: String, type: String)] {
        guard let range = text.firstRange(of: heading) else { return [] }
        return text[range.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
            .drop { !$0.hasPrefix("| `") }.prefix { $0.hasPrefix("| `") }.compactMap { line in
                line.prefixMatch(of: /\| `(?<name>\w+)` \| `(?<type>[^`]+)` \|/).map {
                    (String($0.name), String($0.type))
                }
            }
    }
}

@Suite("The parts of the scheduler's machine")
struct MachinePartsTests {
    @Test("the table of docs/scheduler.md has all variables of the machine, with their types")
    func table() throws {
        let machine = try ProjectFiles.read("\(MachineParts.folder)/SchedulerMachine.swift")
        let variables = MachineParts.variables(of: "SchedulerMachine", in: machine)
        let rows = MachineParts.rows(below: "## Who owns which state", in: try ProjectFiles.read("docs/scheduler.md"))
        #expect(variables.map(\.name) == rows.map(\.name))
        for (variable, row) in zip(variables, rows) {
            #expect(
                variable.rest.hasPrefix(": \(row.type)") || variable.rest == " = \(row.type)()"
                    || row.type == "Bool", "\(row.name) is no \(row.type)")
        }
    }

    @Test("only a part itself changes its state, and each part is a variable of the machine")
    func owners() throws {
        let machine = try ProjectFiles.read("\(MachineParts.folder)/SchedulerMachine.swift")
        let files = try ProjectFiles.swiftFiles(below: "\(MachineParts.folder)/Parts")
        #expect(files.count >= 13)
        for file in files {
            let type = String(file.path.split(separator: "/").last?.dropLast(6) ?? "")
            let variables = MachineParts.variables(of: type, in: file.text)
            #expect(!variables.isEmpty, "\(file.path) has no part")
            for variable in variables where variable.isOpen {
                Issue.record("\(type).\(variable.name) can be changed by others")
            }
            #expect(machine.contains(type) || type == "StartLog", "\(type) is in no variable of the machine")
        }
    }

    @Test("open variables are found, constants and computed ones are not taken for them")
    func samples() {
        let text = """
            struct Part {
                private var a = 0
                private(set) var b: Int?
                var c: [Int: Int] = [:]
                let d: Int
                var e: Int { 1 }
                static var f = 1
                func g() {
                    var h = 1
                }
            }
            var i = 1
            """
        let variables = MachineParts.variables(of: "Part", in: text)
        #expect(variables.map(\.name) == ["a", "b", "c", "d"])
        #expect(variables.map(\.isOpen) == [false, false, true, false])
        let rows = MachineParts.rows(
            below: "## T", in: "## T\n\n| v | t |\n|---|---|\n| `a` | `B?` | c |\n\n| `x` | `y` |")
        #expect(rows.map(\.name) == ["a"] && rows.map(\.type) == ["B?"])
    }
}
