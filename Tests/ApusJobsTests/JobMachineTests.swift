import ApusCalendar
import ApusJobs
import ApusTimers
import Testing

/// Returns 2026-01-01 plus the seconds.
private func at(_ seconds: Double) -> WallInstant {
    WallInstant(secondsSince1970: 1_767_225_600).advanced(by: .seconds(seconds))
}

private func machine(_ trigger: Trigger, _ policies: JobPolicies = .init(), at now: Double = 0) throws -> JobMachine {
    let request = JobRequest(id: JobID("job"), trigger: trigger, policies: policies)
    var machine = try JobMachine.submitted(request, now: at(now), in: ZoneDatabase.system)
    var job = machine.job
    (job.key, job.version) = (1, 1)
    machine.committed(job)
    return machine
}

/// Returns "occurrence.attempt state(reason)" for each run that the action writes.
private func written(_ action: JobMachine.Action) -> [String] {
    (action.change?.runs ?? []).map { run in
        let number = run.through > run.occurrence ? "\(run.occurrence)-\(run.through)" : "\(run.occurrence)"
        return number + (run.attempt > 1 ? ".\(run.attempt)" : "") + " \(run.state)"
            + (run.reason.map { "(\($0))" } ?? "")
    }
}

extension JobMachine {
    /// Applies the change as if the store had taken it.
    fileprivate mutating func settle(_ action: Action) {
        guard action.change != nil else { return }
        var job = self.job
        job.version += 1
        committed(job)
        checkInvariants()
    }

    fileprivate mutating func arriveAndStart(_ now: Double) -> [String] {
        var action = arrive(now: at(now))
        action.merge(start(now: at(now), limit: .max))
        settle(action)
        return written(action)
    }

    fileprivate mutating func end(
        _ occurrence: Int, attempt: Int = 1, _ result: Ended.Result, retryAfter: Duration? = nil, now: Double,
        jitter: Double = 0
    ) -> [String] {
        var end = Ended(result, started: at(now - 1))
        end.retryAfter = retryAfter
        let action = ended(occurrence: occurrence, attempt: attempt, end, now: at(now), jitter: jitter)
        settle(action)
        return written(action)
    }
}

@Suite("The machine of a job")
struct JobMachineTests {
    @Test("a change reports whether the job's state changed, also for two changes in one commit")
    func stateChanged() throws {
        var flags: [Bool?] = []
        func note(_ action: JobMachine.Action) { flags.append(action.change?.isStateChanged) }
        let done = JobMachine.Ended(.succeeded, started: at(10))

        var repeating = try machine(.every(.seconds(10)))
        note(repeating.arrive(now: at(10)))
        note(repeating.start(now: at(10), limit: .max))
        note(repeating.ended(occurrence: 1, attempt: 1, done, now: at(11), jitter: 0))
        #expect(flags == [false, false, false])
        note(repeating.suspend(now: at(12)))
        note(repeating.resume(now: at(13)))
        #expect(flags.suffix(2) == [true, true])

        var once = try machine(.after(.seconds(10)))
        var both = once.arrive(now: at(10))
        both.merge(once.start(now: at(10), limit: .max))
        note(both)
        note(once.ended(occurrence: 1, attempt: 1, done, now: at(11), jitter: 0))
        #expect(flags.suffix(2) == [false, true], "it is finished")

        var suspended = try machine(.every(.seconds(10)))
        both = suspended.suspend(now: at(5))
        let byHand = suspended.runNow(now: at(6))
        both.merge(byHand.action)
        note(both)
        #expect(flags.last == true, "the first of the two changed it")
    }

    @Test(
        "arriving and starting in one transition decides the same as one after the other",
        arguments: [MissedRunPolicy.runOnce, .skip, .runAll(limit: 2)],
        [OverlapPolicy.skip, .replace, .queue(limit: 1), .allow(limit: 2)])
    func together(_ missed: MissedRunPolicy, _ overlap: OverlapPolicy) throws {
        for trigger in [Trigger.every(.seconds(10)), .after(.seconds(10)), .every(.seconds(10), count: 3)] {
            var machine = try machine(trigger, .init(missedRuns: missed, grace: .seconds(4), overlap: overlap))
            var begun = 0
            for now in [5.0, 12, 13, 36, 37, 50, 75, 76, 90] {
                var other = machine
                var one = other.arrive(now: at(now))
                one.merge(other.start(now: at(now), limit: 1))
                let both = machine.arriveAndStart(now: at(now), limit: 1)
                #expect(machine == other && both.change == one.change, "at \(now)")
                #expect(both.starts == one.starts && both.cancels == one.cancels, "at \(now)")
                begun += both.starts.count
                machine.settle(both)
                // At odd instants, the current runs do not end, and are still active in the next step.
                guard Int(now) % 2 == 0 else { continue }
                for run in machine.open where run.state == .running {
                    _ = machine.end(run.occurrence, attempt: run.attempt, .succeeded, now: now)
                }
            }
            #expect(begun > 0)
        }
    }

    @Test(
        "a late occurrence follows the missed-run policy, and one within the grace does not",
        arguments: [
            // The interval is 10 s. Each row holds the arrival in seconds, the grace, the policy and the written runs.
            (10.0, nil, MissedRunPolicy.skip, ["1 running"]),
            (19.9, nil, .skip, ["1 running"]),
            (15, .seconds(4), .skip, ["1 skipped(missed)"]),
            (15, .seconds(4), .runOnce, ["1 running"]),
            (35, nil, .skip, ["1-2 skipped(missed)", "3 running"]),
            (35, .seconds(4), .skip, ["1-3 skipped(missed)"]),
            (35, nil, .runOnce, ["1-2 skipped(coalesced)", "3 running"]),
            (45, nil, .runAll(limit: 2), ["1-2 skipped(missed)", "3 running(missed)", "4 waiting(missed)"]),
            (25, nil, .runAll(limit: 9), ["1 running(missed)", "2 waiting(missed)"]),
        ] as [(Double, Duration?, MissedRunPolicy, [String])])
    func missed(_ now: Double, _ grace: Duration?, _ policy: MissedRunPolicy, _ expected: [String]) throws {
        var machine = try machine(.every(.seconds(10)), .init(missedRuns: policy, grace: grace))
        #expect(machine.arriveAndStart(now) == expected)
    }

    @Test(
        "the grace counts from the end of the tolerance, also with a tolerance beyond the grace",
        arguments: [
            // The job is due after 2 s with a tolerance of 65 s. Each row holds the arrival in seconds, the grace and
            // the written runs.
            (67.0, nil, ["1 running"]),
            (127, nil, ["1 running"]),
            (127.001, nil, ["1 skipped(missed)"]),
            (67, .zero, ["1 running"]),
            (67.001, .zero, ["1 skipped(missed)"]),
        ] as [(Double, Duration?, [String])])
    func graceAfterTolerance(_ now: Double, _ grace: Duration?, _ expected: [String]) throws {
        var machine = try machine(
            .after(.seconds(2)), .init(tolerance: .seconds(65), missedRuns: .skip, grace: grace))
        #expect(machine.arriveAndStart(now) == expected)
    }

    @Test("a due run begins only while no condition is unmet; a manual run ignores conditions")
    func conditions() throws {
        var machine = try machine(.every(.seconds(10)), .init(overlap: .queue(), conditions: [.network, .idle]))
        machine.settle(machine.arrive(now: at(10)))
        #expect(machine.start(now: at(11), limit: 9, unmet: [.idle, .externalPower]).change == nil)
        #expect(machine.awaited(now: at(11), unmet: [.idle, .externalPower]) == .idle)
        #expect(machine.awaited(now: at(9), unmet: .idle).isEmpty, "it is not due")
        #expect(machine.nextLook(after: at(11)) == at(20), "the next arrival")
        let byHand = machine.runNow(now: at(12))
        machine.settle(byHand.action)
        #expect(machine.nextLook(after: at(11)) == at(12))
        let started = machine.start(now: at(12), limit: 9, unmet: .network)
        machine.settle(started)
        #expect(started.starts.map(\.occurrence) == [byHand.run.occurrence])
        let rest = machine.start(now: at(13), limit: 9, unmet: .externalPower)
        machine.settle(rest)
        #expect(rest.starts.map(\.occurrence) == [1])
        #expect(machine.awaited(now: at(13), unmet: .network).isEmpty, "nothing waits any more")
    }

    @Test("years of missed milliseconds are one row")
    func hugeGap() throws {
        var machine = try machine(.every(.milliseconds(1)))
        let now = at(20 * 365 * 86_400)
        let action = machine.arrive(now: now)
        machine.settle(action)
        #expect(written(action) == ["1-630719999999 skipped(coalesced)", "630720000000 waiting"])
        #expect(machine.open[0].standsFor == 630_720_000_000)
        #expect(machine.job.missedCount == 630_719_999_999)
    }

    @Test("a job whose next occurrence lies after the end of time finishes")
    func endOfTime() throws {
        let last = WallInstant.lastDue.advanced(by: .seconds(-1))
        let request = JobRequest(id: JobID("job"), trigger: .every(.seconds(2), anchoredAt: last))
        var machine = try JobMachine.submitted(request, now: at(0).advanced(by: .zero), in: ZoneDatabase.system)
        let first = machine.job.firstDue
        #expect(first == last)
        var action = machine.arrive(now: WallInstant(nanoseconds: .max))
        action.merge(machine.start(now: WallInstant(nanoseconds: .max), limit: 1))
        #expect(machine.job.nextDue == nil)
        machine.settle(action)
        _ = machine.ended(
            occurrence: 1, attempt: 1, .init(.succeeded, started: nil), now: WallInstant(nanoseconds: .max), jitter: 0)
        #expect(machine.job.state == .finished)
    }

    @Test("a retry and a postponement of centuries wait until the last instant, which every store keeps")
    func centuriesOfWaiting() throws {
        var machine = try machine(.after(.seconds(1)), .init(retry: RetryPolicy.exponential(attempts: 2)))
        _ = machine.arriveAndStart(1)
        _ = machine.end(1, .failed(reason: "x", isFinal: false), retryAfter: .seconds(Int64.max), now: 5, jitter: 0)
        #expect(machine.open[0].notBefore == .lastDue)
    }

    @Test("runs that make up for missed ones wait for one another even if the policy allows overlap")
    func catchUp() throws {
        var machine = try machine(.every(.seconds(10)), .init(missedRuns: .runAll(limit: 3), overlap: .allow()))
        #expect(machine.arriveAndStart(35) == ["1 running(missed)", "2 waiting(missed)", "3 waiting(missed)"])
        #expect(machine.arriveAndStart(40) == ["4 running"])
        #expect(machine.end(1, .succeeded, now: 41) == ["1 succeeded"])
        #expect(machine.arriveAndStart(42) == ["2 running(missed)"])
    }

    @Test(
        "a retry's delay is the full delay less its random share", arguments: [(0.0, 10.0), (0.5, 9), (0.999, 8.002)])
    func jitter(_ random: Double, _ delay: Double) throws {
        let retry = RetryPolicy.exponential(attempts: 2, from: .seconds(10), jitter: 0.2)
        var machine = try machine(.after(.seconds(1)), .init(retry: retry))
        _ = machine.arriveAndStart(1)
        let rows = machine.end(1, .failed(reason: "x", isFinal: false), now: 5, jitter: random)
        #expect(rows == ["1 failed(x)", "1.2 waiting"])
        let wait = at(5).duration(to: try #require(machine.open[0].notBefore))
        #expect(abs((wait - .seconds(delay)) / .seconds(1)) < 1e-6)
        #expect(machine.job.bookkeeping.elapsedWake == machine.open[0].notBefore)
    }

    @Test("a retry's delay doubles up to its maximum, for any number of failures")
    func backoff() throws {
        let retry = RetryPolicy.exponential(attempts: 100, from: .seconds(1), to: .seconds(10), jitter: 0)
        var machine = try machine(.after(.seconds(1)), .init(retry: retry))
        var now = 1.0
        var delays: [Duration] = []
        for attempt in 1...99 {
            _ = machine.arriveAndStart(now)
            _ = machine.end(1, attempt: attempt, .failed(reason: "x", isFinal: false), now: now)
            delays.append(at(now).duration(to: try #require(machine.open[0].notBefore)))
            now += 20
        }
        #expect(delays.prefix(5) == [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(10)])
        #expect(delays.suffix(1) == [.seconds(10)])
        let constant = RetryPolicy.exponential(attempts: 3, from: .seconds(4), to: .seconds(4), jitter: 0)
        #expect(RetryPolicy.constant(attempts: 3, delay: .seconds(4)) == constant)
    }

    @Test("a final failure is not retried")
    func finalFailure() throws {
        var machine = try machine(.after(.seconds(1)), .init(retry: .exponential(attempts: 9)))
        _ = machine.arriveAndStart(1)
        #expect(machine.end(1, .failed(reason: "x", isFinal: true), now: 2) == ["1 failed(x)"])
        #expect(machine.job.state == .finished)
    }

    @Test("a suspended job's running attempt finishes, and its retry waits until it is resumed")
    func suspendedRetry() throws {
        var machine = try machine(.after(.seconds(1)), .init(retry: .exponential(attempts: 2)))
        _ = machine.arriveAndStart(1)
        machine.settle(machine.suspend(now: at(2)))
        #expect(machine.end(1, .failed(reason: "x", isFinal: false), now: 3) == ["1 failed(x)", "1.2 waiting"])
        #expect(machine.job.bookkeeping.wake == nil)
        #expect(machine.arriveAndStart(100) == [])
        machine.settle(machine.resume(now: at(200)))
        #expect(machine.arriveAndStart(200) == ["1.2 running"])
    }

    @Test("after a crash a run whose cancellation was requested is cancelled, and others are lost and wait again")
    func recover() throws {
        var machine = try machine(.every(.seconds(10)), .init(overlap: .replace))
        _ = machine.arriveAndStart(10)
        #expect(machine.arriveAndStart(20) == ["1 running(replaced)", "2 waiting"])
        let action = machine.recover(now: at(21))
        machine.settle(action)
        #expect(written(action) == ["1 cancelled(replaced)"])
        #expect(machine.arriveAndStart(21) == ["2 running"])
        let again = machine.recover(now: at(22))
        #expect(written(again) == ["2 lost(interrupted)", "2.2 waiting"])
    }

    @Test("a run that could not be started waits again, under the same number")
    func returned() throws {
        var machine = try machine(.at(at(1)))
        _ = machine.arriveAndStart(1)
        machine.settle(machine.returned(occurrence: 1, attempt: 1, now: at(0)))
        #expect(machine.job.bookkeeping.wake == at(1))
        #expect(machine.arriveAndStart(0.5) == [])
        #expect(machine.arriveAndStart(1) == ["1 running"])
    }

    @Test("a run whose handler could not begin waits for its delay with the reason, as the same attempt")
    func postponed() throws {
        var machine = try machine(.every(.seconds(10)), .init(retry: .exponential(attempts: 2)))
        _ = machine.arriveAndStart(10)
        let action = machine.returned(
            occurrence: 1, attempt: 1, snooze: .snooze(for: .seconds(3), reason: "no descriptors"), now: at(11))
        machine.settle(action)
        #expect(written(action) == ["1 waiting(no descriptors)"])
        #expect(action.postponed == machine.open && machine.open[0].due == at(10))
        #expect(machine.job.nextWake == at(14))
        #expect(machine.arriveAndStart(13) == [])
        #expect(machine.arriveAndStart(14) == ["1 running"], "what it waited for is over")
        #expect(machine.end(1, .failed(reason: "x", isFinal: false), now: 15) == ["1 failed(x)", "1.2 waiting"])
    }

    @Test("a postponed catch-up run keeps its mark, and a handler's reason cannot mark another run as catch-up")
    func postponedCatchUp() throws {
        var machine = try machine(.every(.seconds(10)), .init(missedRuns: .runAll(limit: 2), overlap: .allow()))
        #expect(machine.arriveAndStart(25) == ["1 running(missed)", "2 waiting(missed)"])
        machine.settle(
            machine.returned(
                occurrence: 1, attempt: 1, snooze: .snooze(for: .seconds(1), reason: "busy"), now: at(25)))
        #expect(machine.open.map(\.reason) == ["missed", "missed"])
        #expect(machine.arriveAndStart(26) == ["1 running(missed)"])
        #expect(machine.arriveAndStart(30) == ["3 running"])
        machine.settle(
            machine.returned(
                occurrence: 3, attempt: 1, snooze: .snooze(for: .seconds(-1), reason: "missed"), now: at(30)))
        #expect(machine.open.last?.reason == "postponed" && machine.open.last?.notBefore == at(30.1))
    }

    @Test("a run whose cancellation is requested before its handler begins is cancelled")
    func postponedAndCancelled() throws {
        var machine = try machine(.after(.seconds(1)))
        _ = machine.arriveAndStart(1)
        machine.settle(machine.cancel(now: at(2)))
        let action = machine.returned(
            occurrence: 1, attempt: 1, snooze: .snooze(for: .seconds(1), reason: "busy"), now: at(3))
        machine.settle(action)
        #expect(written(action) == ["1 cancelled(cancelled)"] && action.postponed.isEmpty)
    }

    @Test(
        "an impossible request is refused, and the message names the argument",
        arguments: [
            ("after", Trigger.after(.seconds(-1)), JobPolicies()),
            ("after", .after(.seconds(Int64.max)), .init()), ("every", .every(.microseconds(999)), .init()),
            ("count", .every(.seconds(1), count: 0), .init()), ("at", .at(at(-0.001)), .init()),
            ("tolerance", .at(at(1)), .init(tolerance: .seconds(-1))),
            ("grace", .at(at(1)), .init(grace: .seconds(-1))),
            ("timeLimit", .at(at(1)), .init(timeLimit: .zero)),
            ("missedRuns", .at(at(1)), .init(missedRuns: .runAll(limit: 0))),
            ("overlap.queue", .at(at(1)), .init(overlap: .queue(limit: 0))),
            ("overlap.allow", .at(at(1)), .init(overlap: .allow(limit: .max))),
            ("retry.maximumAttempts", .at(at(1)), .init(retry: .exponential(attempts: 0))),
            ("retry.maximumLost", .at(at(1)), .init(retry: .exponential(attempts: 1, maximumLost: 0))),
            ("retry.jitter", .at(at(1)), .init(retry: .exponential(attempts: 1, jitter: 1.1))),
            ("retry.jitter", .at(at(1)), .init(retry: .exponential(attempts: 1, jitter: .nan))),
        ] as [(String, Trigger, JobPolicies)])
    func invalid(_ argument: String, _ trigger: Trigger, _ policies: JobPolicies) throws {
        let error = #expect(throws: JobError.self) { try machine(trigger, policies) }
        #expect(error?.code == .invalid)
        #expect(error?.message.hasPrefix(argument) == true, "\(String(describing: error))")
    }

    @Test("among overlapping runs, the earliest due gets the place, whatever their numbers")
    func placesByDueInstant() throws {
        var job = try machine(.every(.seconds(30), anchoredAt: at(0)), .init(overlap: .allow(limit: 1))).job
        job.nextOccurrence = 4
        job.nextDue = at(90)
        // The wall clock was set back after the first two runs had arrived, so their due instants are later than that
        // of the third.
        let runs = [(1, 3_600), (2, 3_630), (3, 10)].map { number, due in
            Run(jobKey: 1, jobID: job.id, occurrence: number, attempt: 1, due: at(Double(due)), state: .waiting)
        }
        func ready(_ machine: JobMachine, at now: Double) -> [Int] {
            machine.readyRuns(now: at(now)).map { machine.open[$0].occurrence }
        }
        var loaded = JobMachine(LoadedJob(job: job, open: runs), in: ZoneDatabase.system)
        #expect(ready(loaded, at: 9) == [])
        #expect(ready(loaded, at: 11) == [3])
        #expect(ready(loaded, at: 5_000) == [3])
        job.request.policies.overlap = .allow(limit: 2)
        loaded = JobMachine(LoadedJob(job: job, open: runs), in: ZoneDatabase.system)
        #expect(ready(loaded, at: 3_599) == [3])
        #expect(ready(loaded, at: 5_000) == [1, 3])
    }

    @Test("identifiers and payloads have limits")
    func limits() {
        func refused(_ id: String, _ payload: Int = 0) -> String? {
            let request = JobRequest(
                id: JobID(id), kind: "k", trigger: .at(at(1)), payload: [UInt8](repeating: 0, count: payload))
            do { _ = try JobMachine.submitted(request, now: at(0), in: ZoneDatabase.system) } catch {
                return error.message
            }
            return nil
        }
        #expect(refused("") != nil)
        #expect(refused(String(repeating: "x", count: 256)) != nil)
        #expect(refused(String(repeating: "x", count: 255)) == nil)
        #expect(refused("x", 65_537) != nil)
        #expect(refused("x", 65_536) == nil)
    }
}
