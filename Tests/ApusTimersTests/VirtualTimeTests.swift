import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Dispatch
import Testing

@Suite("VirtualTime")
struct VirtualTimeTests {
    let time = VirtualTime()
    let log = Log<String>()

    private actor Recorder {
        var values: [Int] = []
        func add(_ value: Int) { values.append(value) }
    }

    @Test("tasks, their children and the default actors they call run on the virtual executor, in one order")
    func tasks() throws {
        let values = try time.perform {
            let recorder = Recorder()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<50 { group.addTask { await recorder.add(number) } }
            }
            return await recorder.values
        }
        #expect(values == Array(0..<50))
        #expect(time.leaks == [])
    }

    @Test("a sleep on the clock of virtual time ends when time is moved")
    func clock() throws {
        let (clock, log) = (time.clock, log)
        time.start {
            try await clock.sleep(for: .seconds(60))
            log.add("slept")
        }
        time.advance(by: .seconds(59))
        #expect(log.all == [])
        time.advance(by: .seconds(1))
        #expect(log.all == ["slept"])
    }

    @Test("sleeps of an immediate clock end at once and move it, never back")
    func immediate() async throws {
        let clock = ImmediateClock()
        let begin = clock.now
        try await clock.sleep(for: .seconds(3_600))
        #expect(begin.duration(to: clock.now) == .seconds(3_600))
        try await clock.sleep(until: begin)
        #expect(begin.duration(to: clock.now) == .seconds(3_600))
        let sleep = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await sleep.value }
    }

    @Test("perform throws an error instead of hanging when the work is stuck")
    func stuck() {
        let engine = time.engine
        let error = #expect(throws: VirtualTimeError.self) {
            try time.perform { try await engine.sleep(for: .seconds(1)) }
        }
        #expect(error?.code == .stuck)
        #expect(error?.message.contains("advance(by:)") == true)
        #expect(time.leaks == [])
    }

    @Test("perform lets time pass only on request, and only as much as needed")
    func advancing() throws {
        let engine = time.engine
        let begin = time.continuous()
        let value = try time.perform(advancingTime: true) {
            try await engine.sleep(for: .seconds(86_400))
            return 42
        }
        #expect(value == 42)
        #expect(begin.duration(to: time.continuous()) == .seconds(86_400))
    }

    @Test("perform throws what the work throws")
    func throwing() {
        struct Failure: Error {}
        #expect(throws: Failure.self) { try time.perform { throw Failure() } }
    }

    @Test("perform can wait for other threads, and gives up after a bounded time")
    func foreign() throws {
        let value = try time.perform(waitingForForeignWork: .seconds(300)) {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(returning: 7) }
            }
        }
        #expect(value == 7)
        let engine = time.engine
        let error = #expect(throws: VirtualTimeError.self) {
            try time.perform(waitingForForeignWork: .milliseconds(1)) { try await engine.sleep(for: .seconds(1)) }
        }
        #expect(error?.code == .timedOut)
        #expect(time.leaks == [])
    }

    @Test("a timer that another thread schedules is noticed by the thread that waits")
    func foreignTimer() throws {
        let engine = time.engine
        let log = log
        DispatchQueue.global().async { engine.schedule(after: .zero) { log.add("fired") } }
        try time.settle(waitingForForeignWork: .seconds(300)) { log.all == ["fired"] }
    }

    @Test("advanceToLastDeadline moves from deadline to deadline until none is left")
    func run() {
        let log = log
        let engine = time.engine
        let begin = time.uptime()
        engine.schedule(after: .seconds(10)) {
            log.add("first")
            engine.schedule(after: .seconds(20)) { log.add("second") }
        }
        #expect(time.advanceToNextDeadline())
        #expect(log.all == ["first"])
        time.advanceToLastDeadline()
        #expect(log.all == ["first", "second"])
        #expect(begin.duration(to: time.uptime()) == .seconds(30))
        #expect(!time.advanceToNextDeadline())
    }

    @Test("leaks lists the timers that are left")
    func leaks() {
        let engine = time.engine
        let task = time.start { try await engine.sleep(for: .seconds(1)) }
        time.settle()
        #expect(time.leaks == ["1 timer is live", "1 started task is not finished"])
        task.cancel()
        #expect(time.leaks.last == "1 job waits for the executor")
        time.settle()
        #expect(time.leaks == [])
    }
}
