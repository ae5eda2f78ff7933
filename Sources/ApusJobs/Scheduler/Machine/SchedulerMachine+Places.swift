import ApusBackground
import ApusTimers

/// Where a loaded job waits: for an instant, for a place to run, for conditions, for a handler, or for the next load.
extension SchedulerMachine {
    /// Decides about it after anything has changed for the job.
    mutating func place(_ key: Int64, _ now: WallInstant) {
        guard let entry = entries[key], !entry.isDoubtful else { return }
        if entry.hasNews { return markDirty(key) }
        guard phase.isRunning, !isReleased(entry) else { return }
        let machine = entry.machine
        if machine.job.state.isFinal, machine.open.isEmpty, entry.offer == nil, !entry.isDirty { return unload(key) }
        // What holds a job back is known for this turn only.
        if !hasConditions, !machine.job.request.policies.conditions.isEmpty, machine.isDue(now) {
            return markDirty(key)
        }
        let isHeld = !machine.awaited(now: now, unmet: unmet).isEmpty
        hold(key, isHeld)
        let isParked = park(key, machine, now)
        if !isParked { offer(key, machine, now) }
        let mayArriveLater = entry.offer != nil && machine.canArriveLate
        if let due = machine.arrival, due <= now, !mayArriveLater {
            markDirty(key)
        }
        let stays =
            isHeld || isParked || entry.offer != nil || machine.open.contains { $0.state == .claimed }
        if let look = machine.nextLook(after: now) {
            if stays || look <= now.advanced(by: configuration.horizon) { return arm(key, at: look) }
            scheduleLoad(at: look.advanced(by: .zero - configuration.horizon))
        }
        entry.armed = nil
        if !stays, !entry.isDirty { unload(key) }
    }

    /// Puts a job with a run that may start among those that wait for a place.
    mutating func offer(_ key: Int64, _ machine: JobMachine, _ now: WallInstant) {
        guard let entry = entries[key], entry.offer == nil, kinds.contains(machine.job.request.kind),
            !isReleased(entry)
        else { return }
        let due: WallInstant
        if let ready = machine.oldestReady(now: now, unmet: unmet) {
            due = ready
        } else if machine.canArriveLate, let next = machine.arrival, next <= now {
            due = next
        } else {
            return
        }
        counter += 1
        let offer = Offer(
            number: counter, queue: machine.job.request.queue, priority: machine.job.request.priority)
        entry.offer = offer
        board.offer(.init(due: due, number: counter, key: key), queue: offer.queue, priority: offer.priority)
        if !machine.job.request.policies.conditions.isEmpty { conditionalReady.insert(key) }
    }

    /// It waits for a place no longer, if it did.
    mutating func withdraw(_ key: Int64) {
        guard let entry = entries[key], let offer = entry.offer else { return }
        entry.offer = nil
        board.withdraw(queue: offer.queue, priority: offer.priority)
        conditionalReady.remove(key)
    }

    mutating func timed(_ instant: WallInstant, _ key: Int64, start: WallInstant? = nil) -> Timed {
        counter += 1
        return Timed(instant: instant, number: counter, key: key, start: start ?? instant)
    }

    private mutating func arm(_ key: Int64, at wake: WallInstant) {
        guard let entry = entries[key], entry.armed != wake else { return }
        entry.armed = wake
        wakes.push(timed(wake, key))
        let latest = wake.advanced(by: entry.machine.job.request.policies.tolerance)
        deadlines.push(timed(latest, key, start: wake))
        removeStale()
    }

    /// Elements of jobs that are looked at at another time by now are removed when they are the first, and when they are
    /// most of a heap.
    mutating func removeStale() {
        let entries = entries
        func isValid(_ element: Timed) -> Bool { entries[element.key]?.armed == element.start }
        while let first = deadlines.first, !isValid(first) { _ = deadlines.pop() }
        while let first = wakes.first, !isValid(first) { _ = wakes.pop() }
        let bound = 64 + 2 * entries.count
        if deadlines.count > bound { deadlines.keep(isValid) }
        if wakes.count > bound { wakes.keep(isValid) }
    }

    mutating func unload(_ key: Int64) {
        hold(key, false)
        withdraw(key)
        guard let entry = entries.removeValue(forKey: key) else { return }
        let job = entry.machine.job
        if keys[job.id] == key { keys[job.id] = nil }
        parked.remove(key)
        doubtful.remove(key)
    }

    // MARK: Conditions

    /// Whether a job that asks for conditions may begin in this turn, for which they have not been read.
    func mustReadConditions(_ now: ClockReading) -> Bool {
        guard phase.isRunning, !hasConditions else { return false }
        let hasPlace = running.count < configuration.maximumConcurrentRuns
        if hasPlace, conditionalReady.contains(where: { board.hasRoom(entries[$0]!.offer!.queue, now.continuous) }) {
            return true
        }
        return dirty.contains { !(entries[$0]?.machine.job.request.policies.conditions.isEmpty ?? true) }
    }

    private mutating func hold(_ key: Int64, _ isHeld: Bool) {
        if isHeld { held.insert(key) } else { held.remove(key) }
        guard isFollowing != !held.isEmpty else { return }
        isFollowing.toggle()
        effect(.followConditions(isFollowing))
    }

    mutating func conditionsAre(_ unmet: JobConditions) {
        self.unmet = unmet
        // The oldest first, in the same order in every process.
        let released = held.compactMap { key -> (wake: WallInstant, key: Int64)? in
            guard let job = entries[key]?.machine.job, let wake = job.nextWake else { return nil }
            return job.request.policies.conditions.isDisjoint(with: unmet) ? (wake, key) : nil
        }
        for job in released.sorted(by: <) { markDirty(job.key) }
    }

    /// What holds a job back although it is due; see ``JobScheduler/awaitedConditions(_:)``.
    package func awaitedConditions(_ id: JobID) -> JobConditions {
        guard let key = keys[id], held.contains(key), let job = entries[key]?.machine.job else { return [] }
        return job.request.policies.conditions.intersection(unmet)
    }

    // MARK: Kinds

    /// A job that is due and has no handler here waits for one.
    private mutating func park(_ key: Int64, _ machine: JobMachine, _ now: WallInstant) -> Bool {
        let kind = machine.job.request.kind
        guard !kinds.contains(kind), machine.oldestReady(now: now, unmet: unmet) != nil else {
            parked.remove(key)
            return false
        }
        parked.insert(key)
        if parkedKinds.insert(kind).inserted { effect(.log(.parked(kind: kind))) }
        return true
    }

    // MARK: Loading

    mutating func loadSoon(_ now: WallInstant) {
        load = (now, now)
    }

    /// The next load is at `instant` at the latest; a load that is not urgent waits a little for another wake-up to
    /// share, which loses nothing while the first due instant is a horizon away.
    mutating func scheduleLoad(at instant: WallInstant, isUrgent: Bool = false) {
        guard phase.isRunning else { return }
        let latest = isUrgent ? instant : instant.advanced(by: configuration.horizon / 4)
        if let load, load.latest <= latest { return }
        load = (instant, latest)
    }

    /// Entries that take up room: those that wait for conditions or handlers stay, however many they are, and queues that
    /// are full take up no more.
    var loadedCount: Int {
        entries.count - held.count - parked.count - fullLanes.reduce(0) { $0 + board.waitingCount($1) }
    }
}
