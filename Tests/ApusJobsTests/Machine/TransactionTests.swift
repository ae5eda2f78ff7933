import ApusCalendar
import ApusTimers
import Testing

@testable import ApusJobs

@Suite("The transaction of a turn")
struct TransactionTests {
    private let now = SchedulerReading(milliseconds: 0)
    private let shard = ShardID(rawValue: 7)

    private func entry(_ key: Int64) throws -> LoadedJobs.Entry { LoadedJobs.Entry(try .sample(key), shard: shard) }

    private func draft(_ entry: LoadedJobs.Entry) -> SchedulerTurn.Draft {
        SchedulerTurn.Draft(entry, at: now, in: ZoneDatabase.system)
    }

    private func transaction(_ turn: SchedulerTurn, isShared: Bool = false) -> StoreTurn {
        turn.transaction(
            StoreClock(bootID: nil, wallOffset: .zero, elapsedOffset: .zero),
            keeping: HistoryLimits(.init(historyRunsPerJob: 16)), isShared: isShared,
            isStopping: true, known: { JobQueue(id: $0, concurrency: 9) })
    }

    @Test("parts without changes are omitted, and the others name the job's shard")
    func unchanged() throws {
        let turn = SchedulerTurn(at: now)
        _ = turn.add(draft(try entry(1)))
        let changed = draft(try entry(2))
        changed.action.merge(changed.machine.suspend(now: now.wall))
        #expect(turn.add(changed) == 1 && turn.position(of: 2) == 1 && turn.position(of: 3) == nil)
        let transaction = transaction(turn)
        #expect(transaction.parts.map { $0.map(\.job.key) } == [[2]] && transaction.parts[0][0].shard == shard)
        #expect(turn.committed == [1] && turn.unwritten.map(\.drafts) == [0..<1])
        #expect(!turn.isEmpty && !transaction.isLeaving && transaction.knownQueues.isEmpty)
    }

    @Test("a job's pending changes are decided in its draft")
    func news() throws {
        let entry = try entry(1)
        var started = entry.machine
        let due = now.wall.advanced(by: .seconds(10))
        let run = try #require(started.arriveAndStart(now: due, limit: 1).starts.first)
        entry.machine = started
        entry.news.ends = [PendingEnd(key: RunKey(run), ended: .init(.succeeded, started: due))]
        let draft = draft(entry)
        #expect(draft.machine.job.state == .finished && draft.action.change?.runs.map(\.state) == [.succeeded])
        entry.news = JobNews()
        #expect(self.draft(entry).action.change == nil)
    }

    @Test("a submission is taken although nothing changes, and a forwarded command has no changes")
    func commands() throws {
        let turn = SchedulerTurn(at: now)
        let stored = StoreSubmission(sequence: 5, submitted: now.wall, command: .cancel("job"), isCall: true)
        turn.add([], command: PendingCommand(stored, now.wall))
        turn.add([], command: PendingCommand(3, .job(.cancel("other"))), forward: shard)
        var refused = PendingCommand(
            StoreSubmission(sequence: 6, submitted: now.wall, command: .cancel("job"), shard: shard), now.wall)
        refused.submission?.refusal = JobError(code: .notFound, message: "there is no such job")
        turn.add([], command: refused)
        let transaction = transaction(turn, isShared: true)
        #expect(transaction.parts == [[], [], []] && transaction.isLeaving)
        let refusal = SubmissionRefusal(refused: now.wall, code: "notFound", message: "there is no such job")
        #expect(
            transaction.taken == [
                TakenSubmission(5, part: 0, reply: .jobs([])),
                TakenSubmission(6, shard: shard, part: 2, refusal: refusal),
            ])
        let call = ForwardedCommand.Origin.call(3, .cancel("other"), submitted: now.latestWall)
        #expect(transaction.forwarded == [ForwardedCommand(call, shard: shard, part: 1)])
    }

    @Test("queues are written in order, with the session's known version if the store is shared")
    func queues() {
        let turn = SchedulerTurn(at: now)
        #expect(turn.isEmpty)
        for id in ["b", "a"] as [QueueID] { turn.configure(JobQueue(id: id, concurrency: 1), for: 1) }
        let transaction = transaction(turn, isShared: true)
        #expect(transaction.queues.map(\.id) == ["a", "b"] && !turn.isEmpty)
        #expect(
            transaction.knownQueues.map(\.concurrency) == [9, 9] && turn.configurations.map(\.queue) == ["b", "a"])
    }

    @Test("a job's history is pruned once it exceeds its limit by an eighth")
    func history() throws {
        let turn = SchedulerTurn(at: now)
        for count in [2, 3] {
            let draft = draft(try entry(Int64(count)))
            draft.action.merge(draft.machine.suspend(now: now.wall))
            draft.action.change?.job.bookkeeping.runsSinceRetired = count
            _ = turn.add(draft)
        }
        let changes = transaction(turn).parts.map { $0[0] }
        #expect(changes.map(\.keptRuns) == [nil, 16] && changes.map(\.job.bookkeeping.runsSinceRetired) == [2, 0])
    }
}
