import ApusTimers

/// Something has changed for all jobs on the wall clock: the clock was set back, or the rules of time zones are others.
struct WallClockSweep: Sendable {
    /// The jobs up to this key have been looked at.
    var after: Int64 = 0
    /// By how much the clock was set back.
    var setBack: Duration?
    /// The next occurrences of calendar triggers are computed again.
    var mustReadZones = false

    /// Notes the change in a job's entry.
    func concern(_ entry: SchedulerMachine.Entry) {
        if let setBack { entry.setBack = max(setBack, entry.setBack ?? .zero) }
        if mustReadZones, entry.machine.job.request.trigger.calendar != nil { entry.mustReadZone = true }
    }
}

extension SchedulerMachine {
    /// Begins a sweep, merged with a sweep in progress. Loaded jobs are looked at in the next turn.
    mutating func begin(_ new: WallClockSweep) {
        var new = new
        if let sweep {
            new.setBack = [sweep.setBack, new.setBack].compactMap { $0 }.max()
            new.mustReadZones = new.mustReadZones || sweep.mustReadZones
        }
        sweep = new
        for key in entries.keys.sorted() {
            new.concern(entries[key]!)
            if entries[key]!.hasNews { markDirty(key) }
        }
    }

    /// A page of the jobs on the wall clock was read.
    mutating func swept(_ found: [LoadedJob]) {
        guard let sweep else { return }
        for loaded in found where isOwned(loaded) {
            takeClaiming(loaded)
            sweep.concern(entries[loaded.job.key]!)
            markDirty(loaded.job.key)
        }
        self.sweep?.after = found.last?.job.key ?? 0
        if found.isEmpty { self.sweep = nil }
    }

    /// What is read next of them, if the last page is decided about.
    func sweepRead() -> SchedulerRead? {
        guard let sweep, !isStarting || sweep.setBack != nil,
            !entries.values.contains(where: { $0.setBack != nil || $0.mustReadZone })
        else { return nil }
        return .anchored(after: sweep.after, limit: Self.pageSize)
    }
}
