import ApusTimers
import Dispatch
import Foundation
import Synchronization

/// A round with some tens of thousands of timers.
final class StressRound: Sendable {
    private static let producers = 4
    private static let perProducer = 5_000
    private static let sleepers = 50

    /// The facts about one timer.
    ///
    /// `deadline`, `isCancelled` and `resets` are written by the producer of the timer, and the other fields by the
    /// thread that fires it.
    private struct Account: ~Copyable {
        let fires = Atomic(0)
        let firedAt = Atomic<UInt64>(0)
        let deadline = Atomic<UInt64>(0)
        let isCancelled = Atomic(false)
        let resets = Atomic(0)
    }

    /// The accounts of all timers, by their numbers.
    ///
    /// For `@unchecked Sendable`: the fields of an account are atomic.
    private struct Accounts: @unchecked Sendable {
        let base: UnsafeMutablePointer<Account>
    }

    private let engine: TimerEngine
    private let seed: UInt64
    private let accounts: Accounts
    private let fired: @Sendable (UInt64) -> Void
    private let handler: TimerHandler
    private let queue = DispatchQueue(label: "stress", attributes: .concurrent)

    private static var count: Int { producers * perProducer }

    init(engine: TimerEngine, seed: UInt64) {
        self.engine = engine
        self.seed = seed
        let accounts = Accounts(base: .allocate(capacity: Self.count))
        for index in 0..<Self.count { (accounts.base + index).initialize(to: Account()) }
        self.accounts = accounts
        let time = engine.time
        fired = { token in
            accounts.base[Int(token)].firedAt.store(time.continuous().nanoseconds, ordering: .relaxed)
            accounts.base[Int(token)].fires.wrappingAdd(1, ordering: .releasing)
        }
        handler = TimerHandler(fired)
    }

    deinit {
        accounts.base.deinitialize(count: Self.count)
        accounts.base.deallocate()
    }

    func run() async -> Tally {
        var tally = Tally()
        await withTaskGroup(of: Bool.self) { group in
            for sleeper in 0..<Self.sleepers { group.addTask { await self.sleep(sleeper) } }
            await withCheckedContinuation { continuation in
                let done = DispatchGroup()
                for producer in 0..<Self.producers {
                    done.enter()
                    // Each producer has a thread of its own, because producers on one thread would not race.
                    Thread {
                        self.produce(producer)
                        done.leave()
                    }.start()
                }
                done.notify(queue: queue) { continuation.resume() }
            }
            group.cancelAll()
            for await wasInterrupted in group {
                tally.sleeps += 1
                if wasInterrupted { tally.interrupted += 1 }
            }
        }
        // Every timer is due within 3 ms, so the limit of 20 s is reached only if a timer was lost.
        let patience = engine.time.uptime().advanced(by: .seconds(20))
        while engine.liveTimerCount > 0, engine.time.uptime() < patience {
            try? await engine.sleep(for: .milliseconds(1))
        }
        if engine.liveTimerCount > 0 { tally.faults.append("\(engine.liveTimerCount) timers are left") }
        // An action that has started on the queue no longer counts as a live timer, but may not have finished yet.
        queue.sync(flags: .barrier) {}
        for index in 0..<Self.count { check(index, &tally) }
        return tally
    }

    private func produce(_ producer: Int) {
        let random = SeededRandom(seed: seed &+ UInt64(producer))
        var mine: [(number: Int, timer: ScheduledTimer)] = []
        for number in producer * Self.perProducer..<(producer + 1) * Self.perProducer {
            mine.append((number, schedule(number, random)))
            switch random.next() % 16 {
            case 0:
                // The loop waits until the timer is about to fire, is firing, or has fired.
                let moment = engine.time.continuous().advanced(by: .microseconds(Int64(random.next() % 120)))
                while engine.time.continuous() < moment {}
                cancel(mine.removeLast())
            case 1..<4:
                cancel(mine.remove(at: pick(of: mine.count, random)))
            case 4..<8:
                let (number, timer) = mine[pick(of: mine.count, random)]
                let delay = delay(random)
                let deadline = engine.time.continuous().advanced(by: delay).nanoseconds
                if timer.reset(after: delay) {
                    accounts.base[number].deadline.store(deadline, ordering: .relaxed)
                    accounts.base[number].resets.wrappingAdd(1, ordering: .relaxed)
                }
            default:
                break
            }
        }
    }

    private func cancel(_ victim: (number: Int, timer: ScheduledTimer)) {
        if victim.timer.cancel() { accounts.base[victim.number].isCancelled.store(true, ordering: .relaxed) }
    }

    /// Returns the index of any timer, or of one of the youngest timers, which are firing just now.
    private func pick(of count: Int, _ random: SeededRandom) -> Int {
        let youngest = random.next() % 4 == 0 ? count : min(count, 8)
        return count - 1 - Int(random.next() % UInt64(youngest))
    }

    private func delay(_ random: SeededRandom) -> Duration {
        // Half of the timers are due within 50 µs: some in the same microsecond, and some already when they are
        // scheduled.
        .microseconds(Int64(random.next() % (random.next() % 2 == 0 ? 50 : 3_000)))
    }

    private func schedule(_ number: Int, _ random: SeededRandom) -> ScheduledTimer {
        let delay = delay(random)
        let tolerance = Duration.microseconds(Int64(random.next() % 2 == 0 ? 0 : random.next() % 500))
        let deadline = engine.time.continuous().advanced(by: delay)
        accounts.base[number].deadline.store(deadline.nanoseconds, ordering: .relaxed)
        let token = UInt64(number)
        switch random.next() % 4 {
        case 0:
            return engine.schedule(at: deadline, tolerance: tolerance, handler: handler, token: token)
        case 1:
            return engine.schedule(at: deadline, tolerance: tolerance, on: .queue(queue)) { [fired] in fired(token) }
        default:
            return engine.schedule(at: deadline, tolerance: tolerance) { [fired] in fired(token) }
        }
    }

    /// Sleeps repeatedly until a sleep is interrupted, and then returns `true`.
    private func sleep(_ number: Int) async -> Bool {
        let random = SeededRandom(seed: seed &+ 7_919 &* UInt64(number))
        do {
            while true { try await engine.sleep(for: delay(random)) }
        } catch {
            return true
        }
    }

    private func check(_ index: Int, _ tally: inout Tally) {
        let fires = accounts.base[index].fires.load(ordering: .acquiring)
        let isCancelled = accounts.base[index].isCancelled.load(ordering: .relaxed)
        tally.timers += 1
        tally.fired += fires
        tally.cancelled += isCancelled ? 1 : 0
        tally.resets += accounts.base[index].resets.load(ordering: .relaxed)
        if fires + (isCancelled ? 1 : 0) != 1 {
            tally.faults.append("timer \(index) fired \(fires) times\(isCancelled ? " and was cancelled" : "")")
        }
        let firedAt = accounts.base[index].firedAt.load(ordering: .relaxed)
        let deadline = accounts.base[index].deadline.load(ordering: .relaxed)
        if fires > 0, firedAt < deadline {
            tally.faults.append("timer \(index) fired \(deadline - firedAt) ns early")
        }
    }
}
