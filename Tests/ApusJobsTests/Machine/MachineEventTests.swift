import Testing

@testable import ApusJobs

@Suite("The machine's events")
struct MachineEventTests {
    /// Returns the events of a submission, and of the start and the end of the run that it causes.
    private func events(areWanted: Bool) throws -> [String] {
        let now = SchedulerReading(milliseconds: 0)
        var machine = SchedulerMachine(session: .sample(), configuration: .init(), at: now)
        machine.emitsEvents = areWanted
        machine.receive(.handler(kind: "work"), at: now)
        var isSubmitted = false
        var events: [String] = []
        for _ in 0..<20 {
            switch machine.next(at: now) {
            case .commit(let turn):
                machine.committed(turn.parts.map { .success($0.map(stored)) }, at: now)
            case .read(let read):
                let answer: SchedulerReadAnswer =
                    switch read {
                    case .interrupted, .anchored: .jobs([])
                    case .due: .due(DueJobs(jobs: [], next: nil))
                    case .load(let references): .loaded(references.map { _ in nil })
                    case .submissions: .submissions([])
                    case .places: .places([])
                    }
                machine.read(read, answer, at: now)
            case .retire: machine.retired(hasMore: false)
            case .wait where !isSubmitted:
                isSubmitted = true
                let request = JobRequest(id: "job", kind: "work", trigger: .at(now.wall))
                machine.receive(.command(1, .job(.submit([request]))), at: now)
            case .wait: break
            case .readConditions, .delete, .close: Issue.record("an unexpected step")
            }
            for effect in machine.takeEffects() {
                switch effect {
                case .start(let run, _):
                    machine.receive(.ended(RunKey(run), .init(.succeeded, started: now.wall), jitter: 0), at: now)
                case .emit(.submitted): events.append("submitted")
                case .emit(.changed): events.append("changed")
                case .emit(.runEnded): events.append("runEnded")
                case .emit: Issue.record("an unexpected event")
                default: break
                }
            }
        }
        #expect(machine.jobs.count == 0, "the run has ended, and with it the job")
        return events
    }

    private func stored(_ change: JobChange) -> Job {
        var job = change.job
        (job.key, job.version) = (1, job.version + 1)
        return job
    }

    @Test("an event without subscribers is not created")
    func unwanted() throws {
        #expect(try events(areWanted: true) == ["submitted", "changed", "runEnded", "changed"])
        #expect(try events(areWanted: false).isEmpty)
    }
}
