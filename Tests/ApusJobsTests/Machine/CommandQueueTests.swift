import ApusTimers
import Testing

@testable import ApusJobs

@Suite("Commands that wait")
struct CommandQueueTests {
    private let now = SchedulerReading(milliseconds: 0).wall
    private let error = JobError(code: .unavailable, message: "no answer")

    private func submission(_ sequence: Int64) -> StoreSubmission {
        StoreSubmission(
            sequence: sequence, submitted: now,
            command: .submit([JobRequest(id: JobID("job\(sequence)"), trigger: .after(.seconds(1)))]))
    }

    private func answered(_ effects: [SchedulerEffect]) -> [Int] {
        effects.compactMap { if case .answer(let call, _) = $0 { call } else { nil } }
    }

    @Test("the next page of submissions is read when the previous one is used up, until a page is not full")
    func pages() {
        var commands = CommandQueue()
        #expect(commands.read(limit: 2) != nil)
        commands.took([submission(1), submission(2)], limit: 2, now)
        #expect(commands.read(limit: 2) == nil)
        _ = commands.takeAll()
        #expect(commands.read(limit: 2) != nil)
        commands.took([submission(3)], limit: 2, now)
        _ = commands.takeAll()
        #expect(commands.read(limit: 2) == nil)
        commands.readSubmissions()
        #expect(commands.read(limit: 2) != nil)
    }

    @Test("a call to take submissions is answered when the last page is decided")
    func callers() {
        var commands = CommandQueue()
        var effects: [SchedulerEffect] = []
        commands.readSubmissions(for: 7)
        commands.took([submission(1)], limit: 1, now)
        _ = commands.takeAll()
        commands.answerReads(&effects)
        #expect(effects.isEmpty)
        commands.took([submission(2)], limit: 9, now)
        commands.answerReads(&effects)
        #expect(effects.isEmpty)
        _ = commands.takeAll()
        commands.answerReads(&effects)
        #expect(answered(effects) == [7])
    }

    @Test("when the store fails, submissions are read again and callers' commands stay queued")
    func storeFails() {
        var commands = CommandQueue()
        var effects: [SchedulerEffect] = []
        commands.took([submission(1)], limit: 9, now)
        commands.append(PendingCommand(1, .job(.cancel("job"))))
        commands.readSubmissions(for: 2)
        commands.took([], limit: 9, now)
        commands.forgetSubmissions(error, &effects)
        #expect(answered(effects) == [2] && commands.waiting.map(\.number) == [1])
        #expect(commands.read(limit: 9) != nil)
    }

    @Test("a failed command throws to its caller, and a failed submission stays in the store")
    func fails() {
        var commands = CommandQueue()
        var effects: [SchedulerEffect] = []
        commands.took([submission(1)], limit: 9, now)
        commands.append(PendingCommand(4, .job(.cancel("job"))))
        commands.failAll(error, &effects)
        #expect(answered(effects) == [4] && commands.isEmpty && commands.read(limit: 9) != nil)
    }

    @Test("the store's answer reaches the commands that need it")
    func needs() throws {
        var commands = CommandQueue()
        for number in 1...2 {
            var command = PendingCommand(number, .job(.cancel("job")))
            command.needs = number == 1 ? [.id("job")] : [.id("other")]
            commands.append(command)
        }
        commands.append(PendingCommand(3, .job(.cancel("job"))))
        #expect(commands.needs == [.id("job"), .id("other")])
        let loaded = LoadedJob(job: try JobMachine.sample(1).job, open: [])
        let positions = commands.positions
        #expect(positions == [.id("job"): [0], .id("other"): [1]])
        commands.update(at: [0]) { $0.foreign["job"] = loaded }
        commands.needsAreRead()
        #expect(commands.needs.isEmpty && commands.waiting.map(\.hasRead) == [true, true, false])
        #expect(commands.waiting.map(\.foreign.isEmpty) == [false, true, true])
    }

    @Test("a job that several commands need is read once for all of them")
    func needsOnce() {
        var commands = CommandQueue()
        for number in 0..<1_000 {
            var command = PendingCommand(number, .job(.cancel("job")))
            command.needs = [.id(JobID("own \(number)")), .unique(kind: "k", .payload([1]), submittedAfter: nil)]
            commands.append(command)
        }
        #expect(commands.needs.count == 1_001)
        #expect(commands.positions.values.reduce(0) { $0 + $1.count } == 2_000)
    }

    @Test("a submission that cannot be read is only removed")
    func unreadable() {
        let stored = StoreSubmission(sequence: 1, submitted: now, problem: "no JSON")
        let command = PendingCommand(stored, now)
        #expect(command.submission?.refusal?.code == .invalid && command.needs.isEmpty)
        #expect(PendingCommand(submission(2), now).needs == [.id("job2")])
    }

    @Test(
        "a submission left in the store is read again after a second, and the caller that waits for it gets the error")
    func left() {
        var commands = CommandQueue()
        var effects: [SchedulerEffect] = []
        let uptime = SchedulerReading(milliseconds: 0).uptime
        commands.readSubmissions(for: 7)
        commands.took([submission(1)], limit: 9, now)
        _ = commands.takeAll()
        commands.leave(error, uptime, &effects)
        #expect(answered(effects) == [7] && commands.read(limit: 9) == nil)
        #expect(commands.readsAt == uptime.advanced(by: .seconds(1)))
        commands.resumeReading(uptime.advanced(by: .milliseconds(999)))
        #expect(commands.read(limit: 9) == nil)
        commands.resumeReading(uptime.advanced(by: .seconds(1)))
        #expect(commands.readsAt == nil && commands.read(limit: 9) != nil)
    }

    @Test("jobs read for a shard are dropped with the shard")
    func lostShard() {
        var commands = CommandQueue()
        let lost = ShardID(rawValue: 3)
        var other = submission(1)
        other.shard = lost
        commands.took([other, submission(2)], limit: 9, now)
        commands.append(PendingCommand(4, .job(.cancel("job"))))
        commands.forgetSubmissions(of: lost)
        #expect(commands.waiting.map { $0.submission?.sequence } == [2, nil])
    }
}
