import ApusCalendar
import ApusJobs
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("Jobs of another store continue")
struct RestorationTests {
    private func progress(
        due: WallInstant? = nil, left remainder: Duration? = nil, occurrences: Int = 0, missed: Int = 0,
        of count: Int? = nil
    ) -> JobRestoration.Progress {
        .init(
            created: WallInstant(secondsSince1970: 1_700_000_000), nextDue: due, remainder: remainder,
            occurrences: occurrences, missed: missed, left: count)
    }

    private func restoration(
        _ trigger: Trigger, id: JobID = "job", isSuspended: Bool = false, key: String? = nil,
        _ progress: JobRestoration.Progress?
    ) -> JobRestoration {
        JobRestoration(
            request: JobRequest(id: id, kind: "work", trigger: trigger, conflict: .refuse, idempotencyKey: key),
            isSuspended: isSuspended, progress: progress)
    }

    /// Restores one job, and checks it.
    @discardableResult
    private func restore(_ restoration: JobRestoration, in harness: SchedulerHarness) throws -> Job {
        let job = try harness.perform { try await $0.restore([restoration])[0] }
        try check(harness)
        return job
    }

    private func check(_ harness: SchedulerHarness) throws {
        let found = try harness.perform { [store = harness.store] _ in try await store.job("job") }
        let loaded = try #require(found)
        let broken = JobMachine(loaded, in: ZoneDatabase.system).brokenInvariant()
        #expect(broken == nil, "\(broken ?? "")")
    }

    @Test(
        "a restored repeating job continues on its grid after now, with as many occurrences left as before",
        arguments: [
            Trigger.every(.seconds(7), count: 5), .every(.seconds(7), anchoredAt: .init(nanoseconds: 0), count: 5),
        ])
    func repeating(trigger: Trigger) throws {
        let harness = try SchedulerHarness()
        harness.advance(30)
        let job = try restore(
            restoration(trigger, progress(due: harness.at(10), occurrences: 3, missed: 1, of: 2)), in: harness)
        #expect(
            job.nextDue == harness.at(31) && job.occurrencesLeft == 2
                && (job.occurrenceCount, job.missedCount) == (3, 1))
        #expect(job.created == WallInstant(secondsSince1970: 1_700_000_000))
        try harness.crash()
        harness.advance(100)
        #expect(harness.calls.seconds == [31, 38])
        let ended = try harness.job()
        #expect(ended.state == .finished && (ended.occurrenceCount, ended.missedCount) == (5, 1))
        #expect(try harness.history() == ["4 succeeded", "5 succeeded"])
        try check(harness)
    }

    @Test("a restored calendar schedule continues after now, and ends when no occurrence is left")
    func calendar() throws {
        let harness = try SchedulerHarness()
        let trigger = Trigger.calendar(try CalendarSchedule(cron: "* * * * *"), timeZone: "UTC", count: 4)
        harness.advance(90)
        try restore(restoration(trigger, progress(due: harness.at(60), occurrences: 3, of: 1)), in: harness)
        harness.advance(300)
        #expect(harness.calls.seconds == [120])
        #expect(try harness.job().state == .finished)
        try check(harness)
    }

    @Test("a restored one-time job is missed and finished if its instant has passed, and otherwise runs")
    func once() throws {
        for trigger in [Trigger.at(WallInstant(secondsSince1970: 1_767_225_610)), .after(.seconds(5))] {
            let harness = try SchedulerHarness()
            harness.advance(20)
            let past = try restore(restoration(trigger, progress(due: harness.at(10))), in: harness)
            #expect(past.state == .finished && (past.occurrenceCount, past.missedCount) == (1, 1))
            #expect(try harness.history() == ["1 skipped(missed)"])
            let next = restoration(trigger, id: "next", progress(due: harness.at(25)))
            try harness.perform { _ = try await $0.restore([next]) }
            harness.advance(60)
            #expect(harness.calls.seconds == [25])
            #expect(try harness.job("next").state == .finished)
        }
    }

    @Test("a restored job whose last run was open has ended")
    func nothingLeft() throws {
        let harness = try SchedulerHarness()
        let job = try restore(restoration(.every(.seconds(7), count: 5), progress(occurrences: 4, of: 0)), in: harness)
        #expect(job.state == .finished && job.occurrenceCount == 5)
        #expect(try restore(restoration(.after(.seconds(7)), progress()), in: harness).state == .finished)
    }

    @Test("a restored suspended job keeps its remaining interval, or its instant on the wall clock")
    func suspended() throws {
        let harness = try SchedulerHarness()
        harness.advance(20)
        let job = try restore(
            restoration(
                .every(.seconds(10), count: 4), isSuspended: true, progress(left: .seconds(4), occurrences: 2, of: 2)),
            in: harness)
        #expect(job.state == .suspended && job.remainder == .seconds(4) && job.nextDue == nil)
        let at = restoration(.at(harness.at(10)), id: "at", isSuspended: true, progress(due: harness.at(10)))
        try harness.perform { _ = try await $0.restore([at]) }
        #expect(try harness.job("at").nextDue == harness.at(10))
        harness.advance(30)
        #expect(harness.calls.seconds == [])
        try harness.perform {
            try await $0.resume("job")
            try await $0.resume("at")
        }
        harness.advance(100)
        #expect(harness.calls.seconds == [50, 54, 64])
        try check(harness)
    }

    @Test("a restored job without progress begins now")
    func begins() throws {
        let harness = try SchedulerHarness()
        harness.advance(20)
        try restore(restoration(.every(.seconds(10), count: 2), nil), in: harness)
        harness.advance(100)
        #expect(harness.calls.seconds == [30, 40])
    }

    @Test("all jobs are restored or none: one taken identifier or key refuses them all")
    func allOrNone() throws {
        let harness = try SchedulerHarness()
        try harness.perform {
            _ = try await $0.submit(
                JobRequest(id: "taken", kind: "work", trigger: .after(.seconds(900)), idempotencyKey: "key"))
        }
        let free = restoration(.after(.seconds(9)), id: "free", nil)
        for other in [
            restoration(.after(.seconds(9)), id: "taken", nil),
            restoration(.after(.seconds(9)), id: "other", key: "key", nil),
        ] {
            let error = #expect(throws: JobError.self) {
                try harness.perform { _ = try await $0.restore([free, other]) }
            }
            #expect(error?.code == .alreadyExists || error?.code == .conflict)
            #expect(try harness.perform { try await $0.job("free") } == nil)
        }
        #expect(try harness.perform { try await $0.restore([]) } == [])
    }

    @Test("contradictory counts are refused by their names")
    func refused() throws {
        let harness = try SchedulerHarness()
        for (trigger, progress, name) in [
            (Trigger.after(.seconds(1)), progress(occurrences: -1), "occurrences"),
            (.after(.seconds(1)), progress(occurrences: 1, missed: 2), "missed"),
            (.after(.seconds(1)), progress(of: 2), "occurrencesLeft"),
            (.every(.seconds(1), count: 2), progress(of: 3), "occurrencesLeft"),
            (.every(.seconds(1)), progress(left: .seconds(-1)), "remainingMs"),
        ] {
            let bad = restoration(trigger, progress)
            let error = #expect(throws: JobError.self) { try harness.perform { _ = try await $0.restore([bad]) } }
            #expect(error?.code == .invalid && error?.message.hasPrefix(name + ":") == true, "\(name)")
        }
    }
}
