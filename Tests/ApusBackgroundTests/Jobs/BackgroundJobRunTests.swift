import Testing

@testable import ApusBackground
@testable import ApusTimers

@Suite("BackgroundJobRun")
struct BackgroundJobRunTests {
    enum Event: CaseIterable { case setHandler, expire, complete }

    /// Returns all sequences of at most `length` events, in which an event may occur more than once.
    static func programs(upTo length: Int) -> [[Event]] {
        guard length > 0 else { return [[]] }
        let shorter = programs(upTo: length - 1)
        return shorter
            + shorter.filter { $0.count == length - 1 }.flatMap { program in Event.allCases.map { program + [$0] } }
    }

    @Test("in all orders of up to five events, the host is notified at most once, and so is the handler")
    func machine() {
        let programs = Self.programs(upTo: 5)
        #expect(programs.count == 364)
        for program in programs {
            var machine = BackgroundJobRunMachine<Int>()
            var (completions, calls, handlers) = (0, 0, 0)
            var firstEnd: Event?
            for event in program {
                switch event {
                case .setHandler:
                    handlers += 1
                    switch machine.setHandler(handlers) {
                    case .callNow: calls += 1
                    case .replaced, .ignore: break
                    }
                case .expire:
                    firstEnd = firstEnd ?? .expire
                    switch machine.expire() {
                    case .call(let handler):
                        #expect(handler == handlers, "the last one counts: \(program)")
                        calls += 1
                    case .fail: completions += 1
                    case .ignore: break
                    }
                case .complete:
                    firstEnd = firstEnd ?? .complete
                    if case .notifyHost = machine.complete() { completions += 1 }
                }
            }
            #expect(completions <= 1, "\(program)")
            if program.contains(.complete) { #expect(completions == 1, "\(program)") }
            #expect(machine.isExpired == (firstEnd != nil), "\(program)")
            if firstEnd == .complete { #expect(calls == 0, "\(program)") }
            if firstEnd == .expire, !program.prefix(while: { $0 != .expire }).contains(.setHandler) {
                // There was no handler to call, so the expiration has ended the run.
                #expect((completions, calls) == (1, 0), "\(program)")
            }
        }
    }

    /// A host that records its calls.
    private final class Driver: BackgroundJobDriver {
        let calls = Locked<[String]>([])
        var timeRemaining: Duration? { .seconds(7) }
        func completed(success: Bool) { calls.withLock { $0.append("completed \(success)") } }
        func progressed(completed: Int64, total: Int64) { calls.withLock { $0.append("\(completed)/\(total)") } }
        func updated(title: String, subtitle: String) { calls.withLock { $0.append("\(title), \(subtitle)") } }
    }

    /// A main loop that runs its work at once.
    private struct Loop: MainLoop {
        func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void) {
            MainActor.assumeIsolated { work() }
        }
    }

    @MainActor
    @Test("progress is clamped to its range, and a report after the run's end is ignored")
    func reports() {
        let driver = Driver()
        let run = BackgroundJobRun(BackgroundJobRequest("refresh", .refresh), mainLoop: Loop(), driver: driver)
        run.report(completed: 3, of: 2)
        run.report(completed: -1, of: 0)
        run.update(title: "Export", subtitle: "page 2")
        #expect(run.timeRemaining == .seconds(7))
        run.complete(success: true)
        run.complete(success: false)
        run.expire()
        run.report(completed: 1, of: 2)
        run.update(title: "never", subtitle: "")
        #expect(driver.calls.withLock { $0 } == ["2/2", "0/1", "Export, page 2", "completed true"])
    }

    @MainActor
    @Test("an expiration handler set after the expiration is called soon, and the run lasts until it is completed")
    func lateHandler() {
        let driver = Driver()
        let run = BackgroundJobRun(BackgroundJobRequest("refresh", .refresh), mainLoop: Loop(), driver: driver)
        let called = Locked<[String]>([])
        run.onExpiration { called.withLock { $0.append("first") } }
        run.expire()
        run.onExpiration { called.withLock { $0.append("second") } }
        run.expire()
        #expect(called.withLock { $0 } == ["first", "second"])
        #expect(driver.calls.withLock { $0 }.isEmpty)
        run.complete(success: false)
        #expect(driver.calls.withLock { $0 } == ["completed false"])
    }

    @Test("a request without an identifier, and continued work without a title, are invalid")
    func validation() throws {
        try BackgroundJobRequest("refresh", .refresh).validate()
        try BackgroundJobRequest("export", .continued(ContinuedJob(title: "Export"))).validate()
        for request in [
            BackgroundJobRequest("", .refresh), BackgroundJobRequest("export", .continued(ContinuedJob(title: ""))),
        ] {
            let error = #expect(throws: BackgroundJobError.self) { try request.validate() }
            #expect(error?.code == .invalidArgument)
        }
    }
}
