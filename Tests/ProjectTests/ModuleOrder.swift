/// The modules from the basement to the roof. A module uses only what is on a lower floor.
struct ModuleOrder {
    static let floors: [[String]] = [
        [
            "TimerWheel", "ApusCalendar", "CApus", "COpenSSL", "CPostgres", "CProcessClock", "CWaitingCalls",
            "CAllocationCount",
            "ChaosEffect", "PostgresTestServer", "WebEmbedder", "_Testing_UIKit",
        ],
        ["ApusTimers", "ApusCalendarFuzz", "ApusCalendarOracles"],
        ["ApusBackground"],
        ["ApusJobs"],
        [
            "Apus", "ApusSQLite", "ApusPostgres", "ApusFoundation", "ApusLinux", "ApusTesting", "ApusTracing",
            "LoopbackWeb",
        ],
        [
            "ApusDaemon", "ApusHostProbe", "ApusTestTraits", "ClusterSimulation",
            "ApusSampleApp", "ApusServiceLifecycle", "ApusStoreProbe", "ApusTimerStress",
            "SchedulerSimulation", "SimulatedAppleCore", "SleeplessApp", "TutorialReminder",
        ],
        [
            "ApusChaos", "ApusCommand", "ApusDeviceProbe", "ApusSimulation", "ApusTorture", "AudioToolbox",
            "BackgroundTasks",
            "CoreLocation",
            "MediaPlayer",
            "QuartzCore", "SimulatedCombine", "SimulatedURLSession", "Sleepless", "TwoNodes", "UserNotifications",
        ],
        ["AVFoundation", "UIKit"],
        ["ApusApple", "MigrationExamples", "SampleAppsSwift5", "SampleAppsSwift6", "SimulatedSwiftUI", "Tutorials"],
        ["SimulatedApple", "SwiftUITutorials"],
    ]

    /// The module that a file belongs to: its folder below `Sources`, one below that for the simulated frameworks; in an
    /// example, the example's name, with `App` for the folder of that name.
    static func module(ofPath path: String) -> String {
        let folders = path.split(separator: "/").dropFirst()
        if path.hasPrefix("Examples/") {
            return folders[folders.startIndex] + (folders[folders.startIndex + 1] == "App" ? "App" : "")
        }
        return String(folders.first == "SimulatedApple" ? folders[folders.startIndex + 1] : folders[folders.startIndex])
    }

    /// Modules that compute and keep time; an app pays for what they import.
    static let core: Set = ["TimerWheel", "ApusCalendar", "ApusTimers", "ApusBackground", "ApusJobs", "Apus"]

    /// The part of Foundation without locale data, and the modules that need it for JSON. On Apple's systems `Foundation` is
    /// its name, under a condition.
    static let essentials = "FoundationEssentials"
    static let essentialsUsers: Set = ["ApusJobs"]

    static func floor(of module: String) -> Int? {
        floors.firstIndex { $0.contains(module) }
    }

    /// What is wrong with `module` using `other`, if anything.
    static func objection(to module: String, using other: String) -> String? {
        guard let otherFloor = floor(of: other) else { return nil }
        guard let own = floor(of: module) else { return "\(module) has no floor in ModuleOrder.floors; give it one" }
        return otherFloor < own ? nil : "\(module) may not use \(other): arrows point down only (ModuleOrder.floors)"
    }

    /// The modules that a file imports, with their lines, and whether an `#else` of FoundationEssentials holds them.
    static func imports(in source: String) -> [(line: Int, module: String, isFallback: Bool)] {
        var found: [(line: Int, module: String, isFallback: Bool)] = []
        var conditions: [(isEssentials: Bool, isElse: Bool)] = []
        for (index, line) in SourceText(source).lines.enumerated() {
            let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
            guard let first = words.first else { continue }
            if first == "#if" { conditions.append((line.contains("canImport(FoundationEssentials)"), false)) }
            if first == "#else", !conditions.isEmpty { conditions[conditions.count - 1].isElse = true }
            if first == "#endif" { _ = conditions.popLast() }
            guard let keyword = words.firstIndex(of: "import"), keyword + 1 < words.count,
                words[..<keyword].allSatisfy({ modifiers.contains($0) || $0.hasPrefix("@") })
            else { continue }
            var name = words[keyword + 1]
            if kinds.contains(name), keyword + 2 < words.count { name = words[keyword + 2] }
            let module = String(name.prefix { $0 != "." && $0 != ";" })
            let isFallback = conditions.contains { $0.isEssentials && $0.isElse }
            found.append((index + 1, module, isFallback))
        }
        return found
    }

    private static let modifiers: Set = ["public", "package", "internal", "fileprivate", "private"]
    private static let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]

    /// What is wrong with the imports of a file of `module`.
    static func objections(to source: String, in module: String, path: String) -> [String] {
        imports(in: source).compactMap { line, other, isFallback in
            if other != module, let objection = objection(to: module, using: other) {
                return "\(path):\(line): \(objection)"
            }
            guard core.contains(module), other.hasPrefix("Foundation") else { return nil }
            if essentialsUsers.contains(module), other == essentials || isFallback { return nil }
            return "\(path):\(line): \(module) is core and does without \(other)"
        }
    }

    /// The targets of a manifest and the targets that they depend on, from its text.
    static func dependencies(inManifest manifest: String) -> [String: Set<String>] {
        var result: [String: Set<String>] = [:]
        // Names are string literals, so only comments are taken away here: everything after `//`, except in `://`.
        let text = manifest.split(separator: "\n").map { line -> Substring in
            guard let comment = line.firstRange(ofComment: "//") else { return line }
            return line[..<comment]
        }.joined(separator: "\n")
        for declaration in [".target(", ".executableTarget("] {
            for part in text.components(after: declaration) {
                let body = part.upToClosingParenthesis
                guard let name = body.firstQuoted else { continue }
                let declared = body.components(after: "dependencies: [").first.map(\.upToClosingBracket) ?? ""
                result[name, default: []].formUnion(declared.withoutProducts.allQuoted)
            }
        }
        return result
    }
}

extension Substring {
    fileprivate func firstRange(ofComment mark: String) -> Substring.Index? {
        var position = startIndex
        while position < endIndex {
            if self[position...].hasPrefix(mark), position == startIndex || self[index(before: position)] != ":" {
                return position
            }
            position = index(after: position)
        }
        return nil
    }
}

extension String {
    /// What follows each occurrence of `mark`.
    fileprivate func components(after mark: String) -> [String] {
        var parts: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: mark) {
            rest = rest[range.upperBound...]
            parts.append(String(rest))
        }
        return parts
    }

    fileprivate var upToClosingParenthesis: String { upTo(open: "(", close: ")") }
    fileprivate var upToClosingBracket: String { upTo(open: "[", close: "]") }

    private func upTo(open: Character, close: Character) -> String {
        var depth = 0
        for index in indices {
            if self[index] == open { depth += 1 }
            if self[index] == close {
                if depth == 0 { return String(self[..<index]) }
                depth -= 1
            }
        }
        return self
    }

    fileprivate var allQuoted: [String] {
        split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element) }
    }

    fileprivate var firstQuoted: String? { allQuoted.first }

    /// Without `.product(…)`: products come from other packages.
    fileprivate var withoutProducts: String {
        var result = self
        while let start = result.firstRange(of: ".product(") {
            let rest = String(result[start.upperBound...])
            let inside = rest.upToClosingParenthesis
            result = String(result[..<start.lowerBound]) + String(rest.dropFirst(inside.count + 1))
        }
        return result
    }
}
