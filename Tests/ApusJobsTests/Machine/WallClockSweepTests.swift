import ApusCalendar
import ApusTimers
import Testing

@testable import ApusJobs

@Suite("Sweeps of the jobs on the wall clock")
struct WallClockSweepTests {
    private func sweep(mayHaveCalendars: Bool = false) -> WallClockSweep {
        var session = StoreSession.sample()
        session.mayHaveCalendars = mayHaveCalendars
        return WallClockSweep(session)
    }

    @Test("pages are read one after another until one is empty, each when the last one is decided about")
    func pages() throws {
        var jobs = LoadedJobs()
        var sweep = sweep()
        #expect(sweep.read(jobs, isStarting: false, limit: 2) == nil)
        _ = sweep.begin(.init(setBack: .seconds(60)))
        #expect(sweep.read(jobs, isStarting: true, limit: 2) == .anchored(after: 0, limit: 2))
        let entry = jobs.insert(try .sample(5), shard: .only)
        sweep.cause?.concern(entry)
        sweep.took(through: entry.key)
        #expect(sweep.read(jobs, isStarting: false, limit: 2) == nil)
        entry.news = JobNews()
        #expect(sweep.read(jobs, isStarting: false, limit: 2) == .anchored(after: 5, limit: 2))
        sweep.took(through: nil)
        #expect(sweep.cause == nil && sweep.read(jobs, isStarting: false, limit: 2) == nil)
    }

    @Test("a second cause restarts the sweep at the first job, and the largest step back counts")
    func merged() throws {
        var sweep = sweep()
        _ = sweep.begin(.init(setBack: .seconds(60)))
        sweep.took(through: 5)
        _ = sweep.begin(.init(mustReadZones: true))
        let cause = sweep.begin(.init(setBack: .seconds(10)))
        #expect(cause.setBack == .seconds(60) && cause.mustReadZones)
        #expect(sweep.read(LoadedJobs(), isStarting: false, limit: 2) == .anchored(after: 0, limit: 2))
        let entry = LoadedJobs.Entry(try .sample(1), shard: .only)
        cause.concern(entry)
        #expect(entry.news.setBack == .seconds(60) && !entry.news.mustReadZone)
    }

    @Test("zones are swept after the start if there may be calendar triggers, and watched once there is one")
    func zones() throws {
        var sweep = sweep(mayHaveCalendars: true)
        #expect(sweep.read(LoadedJobs(), isStarting: true, limit: 2) == nil)
        #expect(sweep.read(LoadedJobs(), isStarting: false, limit: 2) != nil)
        sweep.note(.after(.seconds(1)))
        #expect(!sweep.usesTimeZones)
        sweep.note(.calendar(try CalendarSchedule(words: "every day at 9:00"), timeZone: "Europe/Berlin"))
        #expect(sweep.usesTimeZones)
    }
}
