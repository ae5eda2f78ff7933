import Synchronization
import Testing

/// The lines that the examples printed.
///
/// The examples run on the main actor without suspension, so the lines of two examples do not mix.
enum Printed {
    private static let lines = Mutex<[String]>([])

    fileprivate static func add(_ line: String) { lines.withLock { $0.append(line) } }

    /// Returns the lines that `body` prints, as a document shows them.
    @MainActor static func text(of body: () throws -> Void) rethrows -> String {
        lines.withLock { $0 = [] }
        try body()
        return lines.withLock { $0.map { $0 + "\n" }.joined() }
    }
}

/// Replaces Swift's `print` in this module, so that a test can read what the examples print.
///
/// It has the parameters of Swift's `print`, because only then does the compiler always prefer it.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
    Printed.add(items.map { "\($0)" }.joined(separator: separator))
}

/// The examples whose output a document shows, in the order of the blocks.
@MainActor
enum PrintedExamples {
    static let all: [(path: String, run: @MainActor () throws -> Void)] = [
        (overview("Apus"), OverviewExamples.printTimersAndJobs),
        (overview("ApusBackground"), AfterHomeExamples.uploadAfterHome),
        (catalogue("ApusBackground") + "TimeAndSuspension.md", OverviewExamples.printSuspended),
        (overview("ApusCalendar"), OverviewExamples.calendar),
        (overview("ApusDevice"), logsTheMode),
        (overview("ApusFoundation"), OverviewExamples.printRecords),
        (overview("ApusJobs"), OverviewExamples.printJobs),
        (overview("ApusJobsTesting"), OverviewExamples.jobTester),
        (overview("ApusTesting"), OverviewExamples.virtualTime),
        (overview("ApusTimers"), OverviewExamples.printTicks),
        (catalogue("ApusTimers") + "ChoosingAClock.md", OverviewExamples.printClocks),
        (overview("ApusVirtualTime"), OverviewExamples.virtualTime),
        ("docs/background.md", AfterHomeExamples.uploadAfterHome),
        ("docs/background.md", AfterHomeExamples.exportAfterHome),
        ("docs/background.md", AfterHomeExamples.timersAfterHome),
        ("docs/background.md", BackgroundTimerExamples.handedOver),
        ("docs/background.md", CountdownExamples.killed),
        ("docs/background.md", StopwatchExamples.restarted),
        ("docs/simulated-device.md", savesAfterHome),
        ("docs/simulated-device.md", NotebookExamples.forgetful),
        ("docs/simulated-device.md", logsTheMode),
        ("docs/simulated-device.md", freshFeed),
    ]

    private static func catalogue(_ module: String) -> String { "Sources/\(module)/\(module).docc/" }
    private static func overview(_ module: String) -> String { catalogue(module) + "\(module).md" }
}

@MainActor
@Suite("What the examples print")
struct PrintedTests {
    @Test("each text block of a document is what an example printed, and each example's output is shown")
    func outputs() throws {
        for path in Set(PrintedExamples.all.map(\.path)).sorted() {
            let blocks = Documents.blocks(in: try Documents.read(path)).filter { $0.language == "text" }
            let examples = PrintedExamples.all.filter { $0.path == path }
            let printed = try examples.map { try Printed.text(of: $0.run) }
            #expect(blocks.map(\.text) == printed, "\(path)")
        }
    }

    @Test("a document whose examples print has its text blocks in this list")
    func noOthers() throws {
        let known = Set(PrintedExamples.all.map(\.path))
        for path in Documents.paths where !known.contains(path) {
            #expect(!Documents.blocks(in: try Documents.read(path)).contains { $0.language == "text" }, "\(path)")
        }
    }
}
