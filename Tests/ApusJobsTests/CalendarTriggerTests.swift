import ApusCalendar
import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Testing

/// The clock of Europe/Berlin, which does not depend on the installed tzdata.
private let berlin = "CET-1CEST,M3.5.0,M10.5.0/3"

private func schedule(_ words: String) throws -> CalendarSchedule { try CalendarSchedule(words: words) }

/// Parses an instant in UTC, such as `2026-03-29 01:00`.
private func utc(_ text: String) throws -> WallInstant {
    try TimeText.parseISO8601(text.replacing(" ", with: "T") + ":00Z")
}

/// A scheduler whose zones the test can replace, with virtual time from 2026-01-01, a Thursday.
private struct World {
    let zones: SimulatedTimeZones
    let harness: SchedulerHarness

    init(_ rules: [String: String] = ["Europe/Berlin": berlin], missing: String? = nil) throws {
        zones = SimulatedTimeZones(SimulatedTimeZones())
        for (name, rule) in rules { zones.replace(name, by: try TimeZoneRules(posix: rule)) }
        if let missing { zones.replace(missing, by: nil) }
        _ = zones.refresh()
        harness = try SchedulerHarness(configuration: .init(bootID: "boot", timeZones: zones))
    }

    func advance(to text: String) throws {
        harness.time.advance(by: harness.time.wall().duration(to: try utc(text)))
    }

    /// Returns "instant outcome(note)" for each run, without the year.
    func history(_ id: String = "job") throws -> [String] {
        try harness.runs(id).map { run in
            let range = run.through > run.occurrence ? " ×\(run.through - run.occurrence + 1)" : ""
            let note = run.dueNote.map { " [\($0.rawValue)]" } ?? ""
            return "\(run.due.iso8601.dropFirst(5).prefix(11)) \(run.state)\(range)\(note)"
        }
    }
}

@Suite("Calendar triggers")
struct CalendarTriggerTests {
    @Test("a trigger and its job preview the same occurrences and clock notes")
    func upcoming() throws {
        let world = try World()
        try world.advance(to: "2026-03-28 12:00")
        let scheduler = world.harness.scheduler
        let trigger = Trigger.calendar(try schedule("every day at 2:30"), timeZone: "Europe/Berlin", count: 3)
        let planned = try scheduler.upcoming(of: trigger, limit: 2)
        #expect(try planned.map(\.due) == [utc("2026-03-29 01:00"), utc("2026-03-30 00:30")])
        #expect(planned.map { $0.note?.skippedLocalTime } == ["2026-03-29 02:30:00", nil])
        try world.harness.submit(trigger)
        let (job, now) = (try world.harness.job(), world.harness.time.wall())
        let end = try utc("2026-03-30 00:30")
        #expect(scheduler.upcoming(of: job, after: now, through: end, limit: 9) == planned)
        #expect(scheduler.upcoming(of: job, after: now, through: .lastDue, limit: 9).count == 3)
        #expect(try scheduler.upcoming(of: .every(.seconds(5), count: 2), limit: 9).count == 2)
    }

    @Test("a job on weekdays at nine is due at nine by the clock of its zone, through the change of the clock")
    func weekdays() throws {
        let world = try World()
        try world.advance(to: "2026-03-26 00:00")
        try world.harness.submit(.calendar(try schedule("every weekday at 9:00"), timeZone: "Europe/Berlin"))
        try world.advance(to: "2026-04-01 12:00")
        #expect(
            try world.history() == [
                "03-26T08:00 succeeded", "03-27T08:00 succeeded", "03-30T07:00 succeeded", "03-31T07:00 succeeded",
                "04-01T07:00 succeeded",
            ])
        try world.harness.check()
    }

    @Test(
        "a run's record notes the effect of a clock change",
        arguments: [
            (GapPolicy.after, RepeatedPolicy.first, ["03-29T01:00 succeeded [gap 2026-03-29 02:30:00]"]),
            (.skip, .both, []),
        ])
    func notes(gap: GapPolicy, repeated: RepeatedPolicy, march: [String]) throws {
        let world = try World()
        let trigger = Trigger.calendar(
            try schedule("every sunday at 2:30"), timeZone: "Europe/Berlin", gap: gap, repeated: repeated)
        try world.advance(to: "2026-03-23 00:00")
        try world.harness.submit(trigger)
        try world.advance(to: "2026-03-30 00:00")
        #expect(try world.history() == march)
        try world.advance(to: "2026-10-20 00:00")
        let before = try world.history().count
        try world.advance(to: "2026-10-26 00:00")
        let second = repeated == .both ? ["10-25T01:30 succeeded [second]"] : []
        #expect(try world.history().dropFirst(before) == ["10-25T00:30 succeeded [first]"] + second)
        try world.harness.check()
    }

    @Test(
        "any number of missed occurrences is counted at once, and the catch-up run has their number",
        arguments: [
            (MissedRunPolicy.runOnce, nil, ["skipped ×21604", "succeeded"], 21_605),
            (.runAll(limit: 2), nil, ["skipped ×21603", "succeeded", "succeeded"], 1),
            (.runOnce, 21_000, ["skipped ×20999", "succeeded"], 21_000),
        ] as [(MissedRunPolicy, Int?, [String], Int)])
    func manyMissed(policy: MissedRunPolicy, count: Int?, expected: [String], standsFor: Int) throws {
        let world = try World()
        try world.harness.submit(
            .calendar(try schedule("every minute"), timeZone: "UTC", count: count), JobPolicies(missedRuns: policy))
        _ = try world.harness.perform { try await $0.suspend("job") }
        try world.advance(to: "2026-01-16 00:05")
        _ = try world.harness.perform { try await $0.resume("job") }
        world.harness.advance(1)
        #expect(try world.history().map { $0.dropFirst(12) } == expected.map { $0[...] })
        #expect(try world.harness.runs("job").last?.standsFor == standsFor)
        let nextDue = count == nil ? try utc("2026-01-16 00:06") : nil
        #expect(try world.harness.job().nextDue == nextDue)
        try world.harness.check()
    }

    @Test("a clock that jumps from 1970 to the present costs one turn")
    func sinceTheEpoch() throws {
        let schedule = try CalendarSchedule(cron: "* * * * * *")
        let request = JobRequest(id: "job", trigger: .calendar(schedule, timeZone: "UTC"))
        var machine = try JobMachine.submitted(
            request, now: WallInstant(secondsSince1970: 1_000), in: SimulatedTimeZones())
        let now = try utc("2026-11-26 12:00")
        _ = machine.arrive(now: now)
        #expect(machine.open.map(\.standsFor) == [Int(now.nanoseconds / 1_000_000_000) - 1_000])
        #expect(machine.open.map(\.due) == [now])
        #expect(machine.job.nextDue == now.advanced(by: .seconds(1)))
    }

    @Test("a count limits the occurrences from the submission on, and ends the job")
    func count() throws {
        let world = try World()
        try world.harness.submit(.calendar(try schedule("every day at 9:00"), timeZone: "UTC", count: 3))
        try world.advance(to: "2026-02-01 00:00")
        #expect(try world.history().map { $0.prefix(11) } == ["01-01T09:00", "01-02T09:00", "01-03T09:00"])
        #expect(try world.harness.job().state == .finished)
    }

    @Test(
        "occurrences that were due while no scheduler ran follow the policy for missed runs",
        arguments: [
            (MissedRunPolicy.runOnce, ["01-02T09:00 skipped ×3", "01-05T09:00 succeeded"]),
            (.skip, ["01-02T09:00 skipped ×4"]),
            (
                .runAll(limit: 2),
                ["01-02T09:00 skipped ×2", "01-04T09:00 succeeded", "01-05T09:00 succeeded"]
            ),
        ])
    func missed(policy: MissedRunPolicy, expected: [String]) throws {
        let world = try World()
        try world.advance(to: "2026-01-02 00:00")
        try world.harness.submit(
            .calendar(try schedule("every day at 9:00"), timeZone: "UTC"), JobPolicies(missedRuns: policy))
        _ = try world.harness.perform { try await $0.suspend("job") }
        try world.advance(to: "2026-01-05 15:00")
        _ = try world.harness.perform { try await $0.resume("job") }
        world.harness.advance(1)
        #expect(try world.history() == expected)
        #expect(try world.harness.job().nextDue == utc("2026-01-06 09:00"))
        try world.harness.check()
    }

    @Test("missed occurrences beyond the limit of one turn are counted over several turns, without a loss")
    func manyMissed() throws {
        let world = try World()
        try world.harness.submit(
            .calendar(try schedule("every second"), timeZone: "UTC"), JobPolicies(missedRuns: .runAll(limit: 3)))
        _ = try world.harness.perform { try await $0.suspend("job") }
        try world.advance(to: "2026-01-01 13:20")
        _ = try world.harness.perform { try await $0.resume("job") }
        world.harness.time.settle()
        let runs = try world.harness.runs()
        let passed = 13 * 3_600 + 20 * 60
        #expect(runs.first.map { $0.through - $0.occurrence + 1 } == passed - 3)
        #expect(runs.dropFirst().map(\.occurrence) == Array((passed - 2)...passed))
        try world.harness.check()
    }

    @Test("new zone rules move upcoming occurrences earlier or later, and the history notes it")
    func newRules() throws {
        let world = try World()
        try world.advance(to: "2026-06-01 12:00")
        try world.harness.submit(.calendar(try schedule("every day at 9:00"), timeZone: "Europe/Berlin"))
        try world.advance(to: "2026-06-02 12:00")
        // Summer time is abolished, so nine is an hour later.
        world.zones.replace("Europe/Berlin", by: try TimeZoneRules(posix: "CET-1"))
        try world.advance(to: "2026-06-03 12:00")
        // From now on, the zone is two hours further east, so nine o'clock is two hours earlier.
        world.zones.replace("Europe/Berlin", by: try TimeZoneRules(posix: "<+03>-3"))
        try world.advance(to: "2026-06-05 12:00")
        #expect(
            try world.history() == [
                "06-02T07:00 succeeded", "06-03T08:00 succeeded [moved 2026-06-03T07:00:00.000Z]",
                "06-04T06:00 succeeded [moved 2026-06-04T08:00:00.000Z]", "06-05T06:00 succeeded",
            ])
        try world.harness.check()
    }

    @Test("rules that changed while no scheduler ran are noticed at the start, also for jobs that are far away")
    func newRulesAtStart() throws {
        let world = try World()
        try world.harness.submit(
            .calendar(try schedule("every december on the 24th at 18:00"), timeZone: "Europe/Berlin"))
        #expect(try world.harness.job().nextDue == utc("2026-12-24 17:00"))
        world.zones.replace("Europe/Berlin", by: try TimeZoneRules(posix: "<+02>-2"))
        _ = world.zones.refresh()
        try world.harness.crash()
        world.harness.time.settle()
        #expect(try world.harness.job().nextDue == utc("2026-12-24 16:00"))
        #expect(try world.harness.job().dueNote?.formerInstant == utc("2026-12-24 17:00"))
    }

    @Test("a job with an unknown zone is refused; one whose zone disappears waits until the zone returns")
    func missingZone() throws {
        let world = try World(missing: "Mars/Olympus")
        let trigger = Trigger.calendar(try schedule("every day at 9:00"), timeZone: "Mars/Olympus")
        #expect {
            try world.harness.submit(trigger)
        } throws: { error in
            "\(error)".contains("timeZone: there is no time zone \"Mars/Olympus\"")
        }
        world.zones.replace("Mars/Olympus", by: .utc)
        try world.harness.submit(trigger)
        world.zones.replace("Mars/Olympus", by: nil)
        try world.advance(to: "2026-01-02 12:00")
        #expect(try world.history() == [])
        let why = try world.harness.perform { try await $0.explain("job") }
        #expect(why.decisions.contains { $0.code == .timeZoneMissing })
        world.zones.replace("Mars/Olympus", by: .utc)
        try world.advance(to: "2026-01-02 14:00")
        #expect(try world.history() == ["01-01T09:00 skipped", "01-02T09:00 succeeded"])
        try world.harness.check()
    }

    @Test("setting the clock back by less than the interval repeats no occurrence; by more, it repeats passed ones")
    func setBack() throws {
        let world = try World()
        try world.harness.submit(.calendar(try schedule("every hour"), timeZone: "UTC"))
        try world.advance(to: "2026-01-01 04:30")
        world.harness.time.setWallClock(try utc("2026-01-01 03:45"))
        #expect(try world.harness.job().nextDue == utc("2026-01-01 05:00"))
        world.harness.time.setWallClock(try utc("2026-01-01 02:15"))
        world.harness.time.settle()
        #expect(try world.harness.job().nextDue == utc("2026-01-01 03:00"))
        try world.harness.check()
    }

    @Test("an update with the same schedule moves nothing; with another, upcoming occurrences follow it")
    func update() throws {
        let world = try World()
        let nine = Trigger.calendar(try schedule("every day at 9:00"), timeZone: "UTC")
        try world.harness.submit(nine, conflict: .update)
        try world.advance(to: "2026-01-02 10:00")
        try world.harness.submit(nine, conflict: .update, JobPolicies(overlap: .queue(limit: 2)))
        #expect(try world.harness.job().nextDue == utc("2026-01-03 09:00"))
        #expect(try world.harness.job().nextOccurrence == 3)
        try world.harness.submit(
            .calendar(try schedule("every day at 12:00"), timeZone: "UTC", count: 2), conflict: .update)
        #expect(try world.harness.job().nextDue == utc("2026-01-02 12:00"))
        try world.advance(to: "2026-02-02 10:00")
        #expect(
            try world.history().map { $0.prefix(11) } == [
                "01-01T09:00", "01-02T09:00", "01-02T12:00", "01-03T12:00",
            ])
        #expect(try world.harness.job().state == .finished)
    }

    @Test("a schedule that is never due, and a count below one, are refused with the argument")
    func refused() throws {
        let world = try World()
        func error(_ trigger: Trigger) -> String {
            do { try world.harness.submit(trigger) } catch { return "\(error)" }
            return ""
        }
        var past = try schedule("every day at 9:00")
        past.until = CivilDateTime("2025-01-01T00:00:00")
        #expect(error(.calendar(past, timeZone: "UTC")).contains("schedule: nothing is due after now"))
        #expect(
            error(.calendar(try schedule("every day at 9:00"), timeZone: "UTC", count: 0))
                .contains("count: must be 1 to 9007199254740991, not 0"))
    }
}

/// Compares the occurrences of a year with those that a walk in steps of 15 minutes finds from the clock alone.
///
/// The zones' clocks change in different ways, and the rules of each zone are replaced in the middle of the year.
@Suite("A year of weekdays at nine")
struct CalendarYearTests {
    @Test(
        "the history equals an independent walk through the year, before and after the zone's rules change",
        arguments: [
            ("Europe/Berlin", "CET-1"), ("America/New_York", "EST5EDT,M4.1.0,M10.5.0"),
            ("Australia/Lord_Howe", "<+11>-11"), ("Africa/Casablanca", "<+00>0"),
            ("Asia/Tehran", "<+0330>-3:30<+0430>,M3.3.6,M9.3.6"),
        ])
    func year(zone: String, newer: String) throws {
        let world = try World([:])
        let start = world.harness.time.wall()
        let old = try world.zones.zone(zone).rules
        let new = try TimeZoneRules(posix: newer)
        try world.harness.submit(.calendar(try schedule("every weekday at 9:00"), timeZone: zone))
        try world.advance(to: "2026-07-01 00:00")
        let change = world.harness.time.wall()
        world.zones.replace(zone, by: new)
        // A scheduler that wakes for another reason notices the new rules immediately.
        world.harness.advance(2)
        try world.harness.submit("other", .after(.zero))
        try world.advance(to: "2027-01-01 00:00")

        var expected: [WallInstant] = []
        var instant = start
        while instant <= world.harness.time.wall() {
            let local = (instant <= change ? old : new).local(at: Int64(instant.nanoseconds / 1_000_000_000))
            let isWeekday = local.date.weekday != .saturday && local.date.weekday != .sunday
            if isWeekday, local.time.secondOfDay == 9 * 3_600, instant > start { expected.append(instant) }
            instant = instant.advanced(by: .seconds(900))
        }
        let runs = try world.harness.runs()
        #expect(runs.map(\.due) == expected)
        #expect(runs.allSatisfy { $0.state == .succeeded && $0.lateness == .zero })
        #expect(runs.count > 250)
        try world.harness.check()
    }
}
