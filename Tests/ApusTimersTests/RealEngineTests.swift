import ApusTestSupport
import ApusTimers
import Dispatch
import Foundation
import Testing

/// Each test waits for an event; none sleeps by itself or measures lateness.
@Suite("TimerEngine on the machine's clocks", .timeLimit(.minutes(5)))
struct RealEngineTests {
    @Test("a timer on each clock fires, never early", arguments: ClockKind.allCases)
    func fires(clock: ClockKind) async throws {
        let engine = TimerEngine()
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let system = SystemTime()
        let begin = system.uptime()
        engine.schedule(after: .milliseconds(20), clock: clock) { continuation.finish() }
        for await _ in stream {}
        // The wall clock can be set meanwhile, but the other two clocks cannot.
        if clock != .wall { #expect(begin.duration(to: system.uptime()) >= .milliseconds(20)) }
        engine.stop()
    }

    @Test("each action runs on the executor that the caller passed")
    func executors() async {
        let engine = TimerEngine()
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "mine")
        queue.setSpecific(key: key, value: true)
        await confirmation(expectedCount: 2) { confirmed in
            await withCheckedContinuation { continuation in
                engine.schedule(after: .milliseconds(1), on: .queue(queue)) {
                    if DispatchQueue.getSpecific(key: key) == true { confirmed() }
                    continuation.resume()
                }
            }
            await withCheckedContinuation { continuation in
                engine.schedule(after: .milliseconds(1), on: .mainActor) {
                    MainActor.assertIsolated()
                    confirmed()
                    continuation.resume()
                }
            }
        }
        await withCheckedContinuation { continuation in
            engine.schedule(after: .zero, on: .task(globalConcurrentExecutor)) { continuation.resume() }
        }
        engine.stop()
    }

    @Test("sleeps, repeating timers and ticks work with the system's wakeup")
    func repeating() async throws {
        let engine = TimerEngine()
        // The engine's sleep in real time is what this tests.
        try await engine.sleep(for: .milliseconds(1))
        var numbers: [Int] = []
        for await tick in try engine.ticks(every: .milliseconds(2)) {
            #expect(tick.actual.nanoseconds >= tick.due.nanoseconds)
            numbers.append(tick.number)
            if numbers.count == 5 { break }
        }
        #expect(numbers == numbers.sorted())
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let timer = try RepeatingTimer(every: .milliseconds(1), engine: engine) { continuation.yield($0.number) }
        timer.resume()
        var count = 0
        for await _ in stream {
            count += 1
            if count == 5 { break }
        }
        timer.cancel()
        #expect(engine.liveTimerCount == 0)
        engine.stop()
    }

    @Test("an action may stop its own engine, and release it")
    func shutdownInside() async {
        await withCheckedContinuation { continuation in
            let engine = TimerEngine()
            engine.schedule(after: .milliseconds(1)) { [weak engine] in
                engine?.stop()
                continuation.resume()
            }
            // Only the action keeps the engine alive.
            engine.schedule(after: .seconds(3_600)) { withExtendedLifetime(engine) {} }
        }
    }

    #if os(Linux)
        @Test("no thread of the engine takes a signal that the program waits for")
        func blockedSignals() async throws {
            let engine = TimerEngine()
            await withCheckedContinuation { continuation in
                engine.schedule(after: .zero) { continuation.resume() }
            }
            let executor = ThreadExecutor(named: "apus-signals")
            await Task(executorPreference: executor) {}.value
            var names: Set<String> = []
            for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
                // A thread that has ended meanwhile has no files.
                guard let status = try? String(contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8)
                else { continue }
                let fields = status.split(separator: "\n").map { $0.split(separator: "\t", maxSplits: 1) }
                func field(_ name: String) -> Substring? { fields.first { $0.first == name + ":" }?.last }
                guard let name = field("Name"), name.hasPrefix("apus-") else { continue }
                names.insert(String(name))
                let blocked = try #require(field("SigBlk").flatMap { UInt64($0, radix: 16) })
                for signal in [SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGCHLD, SIGCONT, SIGTSTP] {
                    #expect(blocked >> UInt64(signal - 1) & 1 == 1, "\(name) takes \(signal)")
                }
                for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF] {
                    #expect(blocked >> UInt64(signal - 1) & 1 == 0, "\(name) does not take \(signal)")
                }
            }
            #expect(names.isSuperset(of: ["apus-timers", "apus-signals"]))
            engine.stop()
        }

        @Test("a forked child that uses an engine does not change its parent's timers")
        func forked() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let engine = TimerEngine()
                engine.schedule(after: .seconds(3_600)) {}
                let before = armedTimers()
                guard before.contains(where: { $0 > 3_000 }) else { fatalError("the engine's timer is not armed") }
                typealias Fork = @convention(c) () -> pid_t
                // Swift marks `fork` as unavailable.
                let fork = unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)
                let child = fork()
                if child == 0 {
                    // The alarm ends the child if the child hangs.
                    alarm(300)
                    engine.schedule(after: .milliseconds(1)) {}
                    engine.schedule(after: .milliseconds(1), clock: .wall) {}.cancel()
                    engine.stop()
                    let own = TimerEngine()
                    own.schedule(after: .milliseconds(1)) { _exit(0) }
                    while true { pause() }
                }
                var status: Int32 = 0
                guard waitpid(child, &status, 0) == child, status == 0 else { fatalError("the child: \(status)") }
                let after = armedTimers()
                guard after.contains(where: { $0 > 3_000 }), after.count == before.count else {
                    fatalError("the timers were armed for \(before) seconds, and are for \(after)")
                }
                guard engine.statistics.wakeUps == 0 else { fatalError("the engine was woken") }
            }
            #expect(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) == "")
        }
    #endif

    @Test("a cancelled sleep with the system's wakeup returns immediately", arguments: 0..<20)
    func cancelledSleep(_: Int) async {
        let engine = TimerEngine()
        let task = Task { try await engine.sleep(for: .seconds(3_600)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(engine.liveTimerCount == 0)
    }

    @Test("while threads schedule and cancel, every timer either fires once, never early, or was cancelled")
    func stress() async {
        let engine = TimerEngine()
        let system = SystemTime()
        let perProducer = 2_000
        let early = Log<Int>()
        let fired = Log<Int>()
        let cancelled = Log<Int>()
        await withTaskGroup(of: Void.self) { group in
            for producer in 0..<4 {
                let random = SeededRandom(seed: UInt64(producer))
                group.addTask {
                    var timers: [(Int, ScheduledTimer)] = []
                    for number in 0..<perProducer {
                        let identifier = producer * perProducer + number
                        let delay = UInt64(random.next() % 3_000_000)
                        let deadline = system.continuous().advanced(by: .nanoseconds(Int64(delay)))
                        let tolerance = Duration.nanoseconds(Int64(random.next() % 500_000))
                        let timer = engine.schedule(at: deadline, tolerance: tolerance) {
                            if system.continuous() < deadline { early.add(identifier) }
                            fired.add(identifier)
                        }
                        timers.append((identifier, timer))
                        if random.next() % 2 == 0 {
                            let (victim, timer) = timers.remove(at: Int(random.next() % UInt64(timers.count)))
                            if timer.cancel() { cancelled.add(victim) }
                        }
                    }
                }
            }
        }
        // This timer is later than all others, so they have fired when it fires.
        await withCheckedContinuation { continuation in
            engine.schedule(after: .milliseconds(5)) { continuation.resume() }
        }
        #expect(early.all == [])
        #expect((fired.all + cancelled.all).sorted() == Array(0..<4 * perProducer))
        #expect(engine.liveTimerCount == 0)
        engine.stop()
    }

    @Test("a repeating timer that threads pause, resume and cancel in any order never overlaps its handler")
    func repeatingStress() async throws {
        let engine = TimerEngine()
        let queue = DispatchQueue(label: "handlers", attributes: .concurrent)
        for round in 0..<20 {
            let inside = Log<Int>()
            let timer = try RepeatingTimer(
                every: .microseconds(20), missedTicks: [.coalesce, .skip, .delay, .burst][round % 4],
                on: round % 2 == 0 ? .engine : .queue(queue), engine: engine
            ) { tick in
                inside.add(1)
                inside.add(-1)
            }
            await withTaskGroup(of: Void.self) { group in
                for thread in 0..<4 {
                    let random = SeededRandom(seed: UInt64(round * 4 + thread))
                    group.addTask {
                        for _ in 0..<200 {
                            if random.next() % 2 == 0 { timer.resume() } else { timer.pause() }
                        }
                        if thread == 3 { timer.cancel() }
                    }
                }
            }
            timer.resume()
            #expect(engine.liveTimerCount == 0)
            queue.sync(flags: .barrier) {}
            let entries = inside.all
            // The log alternates between enter (1) and leave (−1), unless two handlers overlap.
            #expect(entries.enumerated().allSatisfy { $0.element == ($0.offset % 2 == 0 ? 1 : -1) })
        }
        engine.stop()
    }
}

#if os(Linux)
    /// Returns the seconds after which the kernel's timers of this process fire.
    private func armedTimers() -> [Int] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo")) ?? []
        return files.compactMap { file in
            let text = (try? String(contentsOfFile: "/proc/self/fdinfo/\(file)", encoding: .utf8)) ?? ""
            guard let value = text.firstMatch(of: /it_value: \((\d+), (\d+)\)/) else { return nil }
            let (seconds, nanoseconds) = (Int(value.1) ?? 0, Int(value.2) ?? 0)
            return seconds + nanoseconds == 0 ? nil : seconds
        }
    }
#endif
