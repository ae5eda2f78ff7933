import ApusBackground
import ApusTestSupport
import ApusVirtualTime
import Testing

@testable import ApusTimers

/// Kills the process after a number of operations on durable state; later operations have no effect.
private final class Fuse: Sendable {
    struct Killed: Error {}
    private let left: Locked<Int>
    private let hasBlown = Locked(false)

    init(operations: Int) { left = Locked(operations) }

    var isDead: Bool { hasBlown.withLock { $0 } }

    /// Counts an operation, and returns whether it takes effect.
    func burn() -> Bool {
        let isAlive = left.withLock { left in
            left -= 1
            return left >= 0
        }
        if !isAlive { hasBlown.withLock { $0 = true } }
        return isAlive
    }
}

private struct MortalStore: RecordStore {
    let store: MemoryRecordStore
    let fuse: Fuse

    func load<Record: Codable & Sendable>(_ type: Record.Type, for key: String) throws -> Record? {
        try store.load(type, for: key)
    }

    func save<Record: Codable & Sendable>(_ record: Record?, for key: String) throws {
        guard fuse.burn() else { throw Fuse.Killed() }
        try store.save(record, for: key)
    }
}

private struct MortalCenter: NotificationScheduler {
    let center: FakeNotificationCenter
    let fuse: Fuse

    func notify(_ notification: UserNotification) async throws {}
    func schedule(_ request: NotificationRequest) async throws {
        if fuse.burn() { try await center.schedule(request) }
    }
    func removePending(_ identifiers: [String]) async {
        if fuse.burn() { await center.removePending(identifiers) }
    }
    func pending() async -> [NotificationRequest] { await center.pending() }
    func delivered() async -> [String] { await center.delivered() }
}

@MainActor
@Suite("Countdowns that are killed")
struct CountdownKillTests {
    enum Step: CaseIterable, Sendable {
        case start
        case pause
        case resume
        case add
        case cancel
    }

    /// An event between the kill and the restart of the app.
    enum Absence: CaseIterable, Sendable {
        case short
        case long
        case reboot
        case longReboot
        case wallSetBack
        case wallSetForward
        case asleep

        var length: Duration {
            switch self {
            case .short, .reboot, .wallSetBack, .wallSetForward, .asleep: .seconds(10)
            case .long, .longReboot: .seconds(500)
            }
        }
    }

    /// The simplest model of the countdown's expected behaviour.
    private enum Model: Equatable {
        case idle
        case running(stop: ContinuousInstant)
        case paused(Duration)

        mutating func perform(_ step: Step, _ now: ContinuousInstant) {
            switch (step, self) {
            case (.start, _): self = .running(stop: now.advanced(by: .seconds(60)))
            case (.pause, .running(let stop)): self = .paused(now.duration(to: stop))
            case (.resume, .paused(let left)): self = .running(stop: now.advanced(by: left))
            case (.add, .running(let stop)): self = .running(stop: stop.advanced(by: .seconds(30)))
            case (.add, .paused(let left)): self = .paused(left + .seconds(30))
            case (.cancel, _): self = .idle
            case (.pause, _), (.resume, _), (.add, .idle): break
            }
        }
    }

    private let key = "tea"
    private let identifier = "apus.countdown.tea"
    private let notification = UserNotification(title: "Tea")

    @Test(
        "a countdown killed after any operation is restored as it was, with one notification",
        arguments: Absence.allCases)
    func killed(_ absence: Absence) async throws {
        var kills = 0
        for length in 0...4 {
            var program = Array(repeating: 0, count: length)
            repeat {
                let steps = program.map { Step.allCases[$0] }
                var operations = 0
                while try life(steps, killedAfter: operations, absence) { operations += 1 }
                kills += operations + 1
                // The yield lets other tests use the main actor.
                await Task.yield()
            } while advance(&program)
        }
        #expect(kills > 3_000)
    }

    /// Runs one life of the process and the next.
    ///
    /// - Returns: `false` if the process completed all its operations before it was killed.
    private func life(_ steps: [Step], killedAfter operations: Int, _ absence: Absence) throws -> Bool {
        let place: Comment = "\(steps), killed after \(operations) operations, \(absence)"
        let (fuse, store) = (Fuse(operations: operations), MemoryRecordStore())
        var time = VirtualTime()
        let center = FakeNotificationCenter(time)
        var model = Model.idle
        do {
            let host = TestHost(time: time)
            let countdown = try Countdown(
                host: host, store: MortalStore(store: store, fuse: fuse), key: key, notification: notification,
                notificationScheduler: MortalCenter(center: center, fuse: fuse))
            host.settle()
            for step in steps where !fuse.isDead {
                do {
                    switch step {
                    case .start: try countdown.start(for: .seconds(60))
                    case .pause: try countdown.pause()
                    case .resume: try countdown.resume()
                    case .add: try countdown.extend(by: .seconds(30))
                    case .cancel: try countdown.cancel()
                    }
                    model.perform(step, time.continuous())
                } catch {
                    #expect(error.cause is Fuse.Killed, place)
                }
                host.settle()
                if !fuse.isDead { host.advance(by: .seconds(7), step: .seconds(7)) }
            }
        }
        let wasNotified = center.requests[identifier] != nil
        let shouldBeLeft: Duration? =
            if case .running(let stop) = model { time.continuous().duration(to: stop) - absence.length } else { nil }
        pass(absence, &time, center)

        let host = TestHost(bootID: [.reboot, .longReboot].contains(absence) ? "boot 2" : "boot 1", time: time)
        let countdown = try Countdown(
            host: host, store: store, key: key, notification: notification, notificationScheduler: center)
        let finishes = Log<WallInstant>()
        let observation = countdown.observeFinish { finishes.add($0) }
        host.settle()
        switch (model, shouldBeLeft) {
        case (.running, let left?) where left > .zero:
            #expect(countdown.state == .running, place)
            #expect(countdown.remaining == left, place)
            let stop = time.wall().advanced(by: left)
            // The center follows the wall clock. A dead app cannot correct a notification that is too early, and the
            // center does not show the notification a second time.
            let wasShown = absence == .wallSetForward && wasNotified
            #expect(center.requests == (wasShown ? [:] : [identifier: stop]), place)
            #expect(center.shown.count == (wasShown ? 1 : 0), place)
            host.advance(by: left, step: left)
            #expect(countdown.state == .finished(at: stop, unseen: false) && finishes.all == [stop], place)
            #expect(center.shown.count == 1, place)
        case (.running, let left):
            let stop = time.wall().advanced(by: left ?? .zero)
            #expect(countdown.state == .finished(at: stop, unseen: true), place)
            #expect(center.requests.isEmpty && center.shown.count == (wasNotified ? 1 : 0), place)
        case (.paused(let left), _):
            #expect(countdown.state == .paused && countdown.remaining == left, place)
            #expect(center.requests.isEmpty, place)
        case (.idle, _):
            #expect(countdown.state == .idle && center.requests.isEmpty && store.keys.isEmpty, place)
        }
        observation.cancel()
        return fuse.isDead
    }

    private func pass(_ absence: Absence, _ time: inout VirtualTime, _ center: FakeNotificationCenter) {
        switch absence {
        case .short, .long:
            time.advance(by: absence.length)
        case .reboot, .longReboot:
            time.settle()
            // The monotonic clocks restart.
            time = VirtualTime(
                uptime: UptimeInstant(nanoseconds: 1_000_000_000), wall: time.wall().advanced(by: absence.length))
            center.follow(time)
        case .wallSetBack:
            time.moveWallClock(by: .seconds(-3600))
            time.advance(by: absence.length)
        case .wallSetForward:
            time.moveWallClock(by: .seconds(3600))
            time.advance(by: absence.length)
        case .asleep:
            time.sleepMachine(for: absence.length)
        }
    }

    /// Advances to the next program of the same length; `false` after the last one.
    private func advance(_ program: inout [Int]) -> Bool {
        for index in program.indices.reversed() {
            program[index] += 1
            if program[index] < Step.allCases.count { return true }
            program[index] = 0
        }
        return false
    }
}
