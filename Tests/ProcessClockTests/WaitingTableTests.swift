import ApusTestTraits
import ApusTimers
import ApusVirtualTime
import Foundation
import Testing

/// The results of one way to wait, under a clock that the test moves.
struct WaitingRow: Equatable, CustomStringConvertible {
    let name: String
    /// The number of waits that were over before time had moved.
    let frozen: Int
    /// The numbers of waits that were over a millisecond before the deadline, at the deadline, and ten seconds later.
    let before, advanced, later: Int
    /// The numbers of waits that were over while the process was stopped beyond their deadline, and after the process
    /// had continued.
    let suspended, resumed: Int
    /// The duration of the wait, to the microsecond, because dates have no nanoseconds.
    let waited: Duration

    var isRight: Bool {
        (frozen, before, advanced, later) == (0, 0, 1, 1) && (suspended, resumed) == (0, 1)
            && (.seconds(3) ... .seconds(3) + .microseconds(1)).contains(waited)
    }

    var description: String {
        let columns = [frozen, before, advanced, later, suspended, resumed].map { "\($0)" }
        return ([name.padded(to: 42)] + columns.map { $0.padded(to: 10) } + ["\(waited)"]).joined()
    }

    static let heading =
        (["waiting call".padded(to: 42)]
        + ["frozen", "-1 ms", "at 3 s", "+10 s", "suspended", "resumed"].map { $0.padded(to: 10) } + ["waited"])
        .joined()

    init(_ call: WaitingCall) throws {
        name = call.name
        let time = SystemTime()
        let ends = Locked<[ContinuousInstant]>([])
        let count = { ends.withLock { $0.count } }
        let start = time.continuous()
        call.begin(3) { ends.withLock { $0.append(time.continuous()) } }
        try ProcessClock.settle()
        frozen = count()
        try ProcessClock.advance(by: .milliseconds(2999))
        before = count()
        // Run loops give Dispatch a microsecond of leeway.
        try ProcessClock.advance(by: .milliseconds(1) + .microseconds(1))
        advanced = count()
        let end = ends.withLock { $0.first } ?? start
        waited = .microseconds((start.duration(to: end) / .microseconds(1)).rounded())
        try ProcessClock.advance(by: .seconds(10))
        later = count()

        ends.withLock { $0 = [] }
        call.begin(3) { ends.withLock { $0.append(time.continuous()) } }
        try ProcessClock.settle()
        ProcessClock.skip(.seconds(60))
        suspended = count()
        try ProcessClock.advance(by: .zero)
        resumed = count()
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}

@Suite("Waiting under the process clock")
struct WaitingTableTests {
    @Test(
        "each way to wait ends at its deadline, once, and never while the process is stopped", .virtualClock(.stepped))
    func eachWayToWait() throws {
        print(WaitingRow.heading)
        for call in WaitingCall.all {
            let row = try WaitingRow(call)
            print(row)
            #expect(row.isRight, "\(row)")
        }
    }

    @Test("the table is the same each time", .virtualClock(.stepped, limit: .seconds(600)))
    func theSameEachTime() throws {
        let first = try WaitingCall.all.map { try WaitingRow($0) }
        for _ in 1..<Repetitions.count {
            #expect(try WaitingCall.all.map { try WaitingRow($0) } == first)
        }
    }

    // Tests a call with which Core Foundation waits for its locks.
    //
    // A thread that finds such a lock taken calls `sleep(0)` until the owner has released it. The owner may be waiting
    // for a processor, so if each call took time, deadlines would depend on how busy the machine is.
    @Test("sleep(0) takes no time, however often it is called", .virtualClock(.stepped))
    func sleepOfNoLength() throws {
        let start = SystemTime().continuous()
        for _ in 0..<1_000 { sleep(0) }
        #expect(SystemTime().continuous() == start)
    }

    @Test("waits that are overdue end in the order of their deadlines", .virtualClock(.stepped))
    func orderOfOverdueWaits() throws {
        let ended = Locked<[Int]>([])
        for seconds in [5, 1, 4, 2, 3] {
            WaitingCall.libc[0].begin(seconds) { ended.withLock { $0.append(seconds) } }
            try ProcessClock.settle()
        }
        ProcessClock.skip(.seconds(60))
        try ProcessClock.advance(by: .zero)
        #expect(ended.withLock { $0 } == [1, 2, 3, 4, 5])
    }

    @Test(
        "a sleep of the machine does not count for the monotonic clock, and does for the others",
        .virtualClock(.stepped))
    func sleepOfTheMachine() throws {
        let ended = Locked<[String]>([])
        let names = ["clock_nanosleep_monotonic", "clock_nanosleep_boottime", "clock_nanosleep_realtime"]
        for call in WaitingCall.libc where names.contains(call.name) {
            call.begin(3) { ended.withLock { $0.append(call.name) } }
        }
        try ProcessClock.settle()
        ProcessClock.sleepMachine(for: .seconds(3))
        try ProcessClock.advance(by: .zero)
        #expect(Set(ended.withLock { $0 }) == ["clock_nanosleep_boottime", "clock_nanosleep_realtime"])
        try ProcessClock.advance(by: .seconds(3))
        #expect(ended.withLock { $0 }.last == "clock_nanosleep_monotonic")
    }

    @Test("deadlines on the wall clock follow it when it is set, and others do not", .virtualClock(.stepped))
    func wallClockThatIsSet() throws {
        let ended = Locked<[String]>([])
        for call in WaitingCall.libc where ["clock_nanosleep_realtime", "nanosleep"].contains(call.name) {
            call.begin(3600) { ended.withLock { $0.append(call.name) } }
        }
        try ProcessClock.settle()
        ProcessClock.setWallClock(SystemTime().wall().advanced(by: .seconds(3600)))
        try ProcessClock.advance(by: .zero)
        #expect(ended.withLock { $0 } == ["clock_nanosleep_realtime"])
        try ProcessClock.advance(by: .seconds(3600))
        #expect(ended.withLock { $0 }.last == "nanosleep")
    }
}

/// The number of times that a table is made and compared; `APUS_REPETITIONS` overrides it.
enum Repetitions {
    static var count: Int { ProcessInfo.processInfo.environment["APUS_REPETITIONS"].flatMap(Int.init) ?? 3 }
}
