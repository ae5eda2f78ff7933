import ApusCalendar
import BenchSupport
import Foundation

/// The benchmark of the search for the next occurrence of ten common schedules.
///
/// `calendar-bench [--peer PROGRAM] [--json FILE]` compares the search with croniter, with the usual search of cron
/// libraries, and with Foundation's `Calendar.nextDate`, in one run.
@main
enum CalendarBench {
    private static let zoneName = "Europe/Berlin"
    private static let turns = 11

    static func main() throws {
        var (peer, json): (String?, String?)
        var rest = CommandLine.arguments.dropFirst()
        while let option = rest.popFirst() {
            guard ["--peer", "--json"].contains(option), let value = rest.popFirst() else {
                note("usage: calendar-bench [--peer PROGRAM] [--json FILE]")
                exit(64)
            }
            if option == "--peer" { peer = value } else { json = value }
        }
        var report = Report(program: "calendar-bench", json: json)
        let croniter = try peer.map(measureCroniter) ?? []
        report.add("next") { try table(croniter) }
        exit(try report.finish(hint: peer == nil ? "croniter, without --peer" : nil))
    }

    private static func table(_ croniter: [Double]) throws -> ComparisonTable {
        let rules = try ZoneDatabase().zone(zoneName).rules
        var generator = SystemRandomNumberGenerator()
        let bases = (0..<1000).map { _ in Int64.random(in: 1_795_000_000..<1_920_000_000, using: &generator) }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: zoneName) ?? .gmt
        var rows: [Comparison] = []
        for (index, subject) in Subject.all.enumerated() {
            let search = PreparedSchedule(try CalendarSchedule(cron: subject.cron), in: rules)
            let ours = microseconds(bases, repeats: 40) { search.next(after: $0)?.instant }
            var peers: [(name: String, value: Double)] = []
            if index < croniter.count { peers.append(("croniter", croniter[index])) }
            if let walker = FieldWalker(subject.cron) {
                try compare(subject, bases, "the walker", search) { walker.next(after: $0, in: rules) }
                peers.append(("walker", microseconds(bases, repeats: 10) { walker.next(after: $0, in: rules) }))
            }
            if !subject.components.isEmpty {
                // Foundation is slow, so it searches from only a few instants.
                let few = Array(bases.prefix(40))
                let next = { (base: Int64) in foundation(base, subject, calendar) }
                try compare(subject, few, "Foundation", search, next)
                peers.append(("Foundation", microseconds(few, next)))
            }
            rows.append(
                Comparison(
                    subject.words, ours, "us", peers: peers,
                    target: subject.components.isEmpty ? .atMost(2) : .ratioAtMost(0.02, of: "Foundation")))
        }
        rows.append(Comparison("the slowest of them", rows.compactMap(\.ours).max(), "us", target: .atMost(2)))
        return ComparisonTable(
            "The next occurrence after an instant, \(zoneName), processor time, median of \(turns) turns over the same instants",
            rows,
            footnotes: [
                "all are prepared once and find the same instants; croniter is Python; Foundation has no last weekday and "
                    + "no last day",
                "walker: the fields from the largest to the smallest, as cron libraries search",
            ])
    }

    private static func foundation(_ base: Int64, _ subject: Subject, _ calendar: Calendar) -> Int64? {
        let date = Date(timeIntervalSince1970: Double(base))
        let dates = subject.components.compactMap {
            calendar.nextDate(after: date, matching: $0, matchingPolicy: .nextTime)
        }
        return dates.min().map { Int64($0.timeIntervalSince1970) }
    }

    /// Checks that a peer finds the same instants; one in fifty may differ because of another policy for clock changes.
    private static func compare(
        _ subject: Subject, _ bases: [Int64], _ name: String, _ search: PreparedSchedule, _ next: (Int64) -> Int64?
    ) throws {
        let different = bases.filter { search.next(after: $0)?.instant != next($0) }
        if different.count > bases.count / 50 {
            throw Difference(
                description: "\(name) and Apus find different instants of “\(subject.words)” after \(different[0])")
        }
    }

    private struct Difference: Error, CustomStringConvertible { var description: String }

    private static func microseconds(_ bases: [Int64], repeats: Int = 1, _ next: (Int64) -> Int64?) -> Double {
        var sum: Int64 = 0
        let turns = (0..<turns).map { _ in
            let start = processCPUNanoseconds()
            for _ in 0..<repeats {
                for base in bases { sum &+= next(base) ?? 0 }
            }
            return Double(processCPUNanoseconds() - start) / 1000 / Double(bases.count * repeats)
        }
        // Keeps the optimizer from removing the searches.
        precondition(sum != 1)
        return median(turns)
    }

    /// Returns the figures of croniter, which runs in another process.
    private static func measureCroniter(_ program: String) throws -> [Double] {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = [zoneName]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        input.fileHandleForWriting.write(Data(Subject.all.map { $0.croniter + "\n" }.joined().utf8))
        try input.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").compactMap { Double($0) }
    }
}
