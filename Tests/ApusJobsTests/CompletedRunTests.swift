import ApusCalendar
import ApusJobs
import ApusTimers
import Testing

/// The handler has committed the claimed run's effects, and the store returns the run as completed.
@Suite("A run that its handler has completed")
struct CompletedRunTests {
    private func at(_ seconds: Double) -> WallInstant {
        WallInstant(secondsSince1970: 1_767_225_600).advanced(by: .seconds(seconds))
    }

    private func completed(cancelled: Bool = false) throws -> JobMachine {
        var machine = try JobMachine.submitted(
            JobRequest(id: "job", trigger: .every(.seconds(10))), now: at(0), in: ZoneDatabase.system)
        (_, _) = (machine.arrive(now: at(10)), machine.start(now: at(10), limit: 1))
        if cancelled { _ = machine.cancel(now: at(11)) }
        var open = machine.open
        open[0].isCompleted = true
        open[0].result = [7]
        return JobMachine(LoadedJob(job: machine.job, open: open), in: ZoneDatabase.system)
    }

    private func expectSuccess(_ action: JobMachine.Action, _ machine: JobMachine, result: [UInt8] = [7]) {
        let run = action.change?.runs.first { $0.occurrence == 1 }
        #expect(run?.state == .succeeded && run?.isFinal == true && run?.reason == nil)
        #expect(run?.result == result && run?.isCompleted == false)
        #expect(action.change?.runs.count == 1 && machine.open.isEmpty)
        machine.checkInvariants()
    }

    @Test(
        "a completed run has succeeded, however its handler ends",
        arguments: [
            JobMachine.Ended.Result.failed(reason: "no", isFinal: true), .timedOut, .interrupted, .succeeded,
        ], [false, true])
    func ended(how: JobMachine.Ended.Result, cancelled: Bool) throws {
        var machine = try completed(cancelled: cancelled)
        let action = machine.ended(
            occurrence: 1, attempt: 1, .init(how, started: at(10), exitCode: 3), now: at(12), jitter: 0)
        expectSuccess(action, machine)
        #expect(action.change?.runs[0].exitCode == 3)
    }

    @Test("a completed run has the result that its handler returned last")
    func result() throws {
        var machine = try completed()
        var ended = JobMachine.Ended(.succeeded, started: at(10))
        ended.handlerResult = [8]
        let action = machine.ended(occurrence: 1, attempt: 1, ended, now: at(12), jitter: 0)
        expectSuccess(action, machine, result: [8])
    }

    @Test("a completed run has succeeded although its node has died", arguments: [false, true])
    func recovered(cancelled: Bool) throws {
        var machine = try completed(cancelled: cancelled)
        expectSuccess(machine.recover(now: at(12)), machine)
    }

    @Test(
        "a completed run does not wait again", arguments: [nil, RunDecision.snooze(for: .seconds(1), reason: "later")])
    func returned(snooze: RunDecision?) throws {
        var machine = try completed()
        let action = machine.returned(occurrence: 1, attempt: 1, snooze: snooze, now: at(12))
        expectSuccess(action, machine)
        #expect(action.postponed.isEmpty)
    }

    @Test("a run that was not completed keeps a result only if it succeeds")
    func failure() throws {
        var machine = try JobMachine.submitted(
            JobRequest(id: "job", trigger: .every(.seconds(10))), now: at(0), in: ZoneDatabase.system)
        (_, _) = (machine.arrive(now: at(10)), machine.start(now: at(10), limit: 1))
        var ended = JobMachine.Ended(.failed(reason: "no", isFinal: true), started: at(10))
        ended.handlerResult = [8]
        let action = machine.ended(occurrence: 1, attempt: 1, ended, now: at(12), jitter: 0)
        #expect(action.change?.runs[0].state == .failed && action.change?.runs[0].result == nil)
    }
}
