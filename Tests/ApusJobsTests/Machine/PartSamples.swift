import ApusCalendar
import ApusTimers

@testable import ApusJobs

/// A time source whose clocks stand still.
private struct Moment: TimeSource {
    var nanoseconds: UInt64
    func uptime() -> UptimeInstant { UptimeInstant(nanoseconds: nanoseconds) }
    func continuous() -> ContinuousInstant { ContinuousInstant(nanoseconds: nanoseconds) }
    func wall() -> WallInstant { WallInstant(nanoseconds: 1_767_225_600_000_000_000 + nanoseconds) }
}

extension SchedulerReading {
    /// Creates a reading with all clocks at that time.
    init(milliseconds: UInt64) { self.init(Moment(nanoseconds: milliseconds * 1_000_000)) }

    /// Returns the same reading after the wall clock was set.
    func set(by step: Duration) -> SchedulerReading {
        var reading = self
        (reading.wall, reading.latestWall) = (wall.advanced(by: step), latestWall.advanced(by: step))
        return reading
    }
}

extension JobMachine {
    /// Returns a stored job that is due in 10 s.
    static func sample(
        _ key: Int64, id: JobID? = nil, kind: String = "work", _ policies: JobPolicies = .init()
    ) throws -> JobMachine {
        let request = JobRequest(
            id: id ?? JobID("job\(key)"), kind: kind, trigger: .after(.seconds(10)), policies: policies)
        var machine = try JobMachine.submitted(
            request, now: SchedulerReading(milliseconds: 0).wall, in: ZoneDatabase.system)
        var job = machine.job
        job.key = key
        machine.committed(job)
        return machine
    }
}

extension StoreSession {
    static func sample(
        shards: [Int] = [0], isShared: Bool = false, others: OtherSchedulers = OtherSchedulers()
    ) -> StoreSession {
        StoreSession(
            node: NodeID(rawValue: "node"),
            shards: Dictionary(uniqueKeysWithValues: shards.map { (ShardID(rawValue: $0), StoreEpoch(rawValue: 1)) }),
            clock: nil, isShared: isShared, others: others)
    }
}

extension RunKey {
    /// Creates the first attempt of the first occurrence.
    init(_ key: Int64) {
        self.init(
            Run(
                jobKey: key, jobID: JobID("job\(key)"), occurrence: 1, attempt: 1,
                due: SchedulerReading(milliseconds: 0).wall, state: .running))
    }
}
