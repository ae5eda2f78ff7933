import ApusTimers
import Logging

/// The scheduler's own transitions: what has ended is written, what is due arrives, what may start is claimed; one
/// commit.
extension JobScheduler {
    private struct Plan: Sendable {
        var machine: JobMachine
        var action: JobMachine.Action
        var ends: Int
        var reserved: Int
    }

    func process(_ id: JobID) async {
        try? await withLanes([id], whileStopping: true) { now in
            await step(id, now: now)
        }
        locked { state in
            state.kicks -= 1
            state.checkIdle()
        }
    }

    private func step(_ id: JobID, now: WallInstant) async {
        for attempt in 0..<8 {
            let now = attempt == 0 ? now : engine.time.wall()
            do {
                if locked({ $0.entries[id]?.isStale ?? false }) { try await reload(id) }
                readConditionsIfNeeded(by: id)
                guard let plan = plan(id, now: now) else { return }
                guard let change = plan.action.change else {
                    locked { state in
                        state.entries[id]?.ends.removeFirst(plan.ends)
                        state.entries[id]?.failures = 0
                        rearm(id, &state)
                    }
                    return
                }
                do {
                    let stored = try await store.commit([change], epoch: locked(\.epoch))
                    var machine = plan.machine
                    machine.committed(stored[0])
                    noteStoreWorks()
                    adopt(machine, plan.action, ends: plan.ends)
                    if locked({ Self.isPruningDue($0.lastPruned, now) }) { spawn { await $0.pruneIfDue(now) } }
                    return
                } catch {
                    release(plan.reserved)
                    throw error
                }
            } catch let error as JobError where error.code == .conflict {
                // Somebody else's change, or an own one whose answer was lost: the store knows.
                locked { $0.entries[id]?.isStale = true }
            } catch let error as JobError where error.code == .notOwner || error.code == .closed {
                await halt(error)
                return
            } catch {
                failed(id, error)
                return
            }
        }
        failed(id, JobError(.conflict, "\(id): the job changes all the time"))
    }

    private func plan(_ id: JobID, now: WallInstant) -> Plan? {
        locked { state in
            guard let entry = state.entries[id] else { return nil }
            state.entries[id]!.isKicked = false
            var plan = Plan(machine: entry.machine, action: .none, ends: entry.ends.count, reserved: 0)
            for end in entry.ends where end.key.job == plan.machine.job.key {
                if let ended = end.ended {
                    plan.action.merge(
                        plan.machine.ended(
                            occurrence: end.key.occurrence, attempt: end.key.attempt, ended, now: now,
                            jitter: end.jitter))
                } else {
                    plan.action.merge(
                        plan.machine.returned(
                            occurrence: end.key.occurrence, attempt: end.key.attempt,
                            postponement: end.postponement, now: now))
                }
            }
            guard state.phase == .running else { return plan }
            plan.action.merge(plan.machine.arrive(now: now))
            let wanted = plan.machine.readyRuns(now: now, unmet: state.unmet).count
            let free = max(0, configuration.maximumConcurrentRuns - state.slots)
            let taken = min(wanted, entry.granted + free)
            state.slots += max(0, taken - entry.granted)
            state.entries[id]!.granted = 0
            for _ in 0..<max(0, entry.granted - taken) { state.freeSlot() }
            plan.action.merge(plan.machine.start(now: now, limit: taken, unmet: state.unmet))
            plan.reserved = taken
            return plan
        }
    }

    private func release(_ slots: Int) {
        locked { state in
            for _ in 0..<slots { state.freeSlot() }
        }
    }

    /// A transition is committed: it becomes true in memory, and its consequences follow.
    func adopt(_ machine: JobMachine, _ action: JobMachine.Action, ends: Int = 0) {
        let id = machine.job.id
        let (before, starts, cancels) = locked { state in
            let old = state.entries[id]
            var entry = old ?? SchedulerState.Entry(machine)
            var cancels: [(RunControl, CancellationReason)] = []
            if entry.machine.job.key != machine.job.key {
                // A new job took the identifier: the store has cancelled the old one's runs already.
                for run in entry.machine.open {
                    if let control = state.running[.init(run)] { cancels.append((control, .replaced)) }
                }
                entry.ends = []
                entry.failures = 0
            }
            entry.machine = machine
            entry.isStale = false
            if ends > 0 { entry.ends.removeFirst(min(ends, entry.ends.count)) }
            if entry.ends.isEmpty { entry.failures = 0 }
            state.entries[id] = entry
            let starts = action.starts.map { start(run: $0, of: machine.job, &state) }
            for cancel in action.cancels {
                let run = machine.open.first { $0.occurrence == cancel.occurrence && $0.attempt == cancel.attempt }
                if let control = run.flatMap({ state.running[.init($0)] }) { cancels.append((control, cancel.reason)) }
            }
            rearm(id, &state)
            return (old?.machine.job, starts, cancels)
        }
        for (control, reason) in cancels { control.cancel(reason) }
        announce(action, machine.job, before: before)
        for start in starts { launch(start) }
    }

    private func announce(_ action: JobMachine.Action, _ job: Job, before: Job?) {
        guard let change = action.change else { return }
        for run in change.runs {
            switch run.state {
            case .skipped: hub.emit(.skipped(run))
            case .succeeded, .failed, .lost, .cancelled: hub.emit(.runEnded(run))
            case .waiting, .claimed: break
            }
        }
        for run in action.postponed { hub.emit(.runPostponed(run)) }
        if before?.state != job.state || before?.nextDue != job.nextDue || before?.occurrences != job.occurrences {
            hub.emit(.changed(job))
        }
    }

    /// Asks the store what is true, after a commit whose fate is unknown. Claims that nobody runs are ours: they are
    /// run.
    func reload(_ id: JobID) async throws {
        let loaded = try await store.job(id)
        let starts = locked { state -> [Start] in
            guard let loaded else {
                state.unload(id)
                return []
            }
            let machine = JobMachine(loaded)
            state.entries[id]?.machine = machine
            state.entries[id]?.isStale = false
            guard let entry = state.entries[id], state.phase == .running else { return [] }
            return machine.open.compactMap { run in
                let key = SchedulerState.RunKey(run)
                let isKnown = state.running[key] != nil || entry.ends.contains { $0.key == key }
                guard run.state == .claimed, !isKnown else { return nil }
                if machine.cancellation(run) != nil {
                    let ended = JobMachine.Ended(.interrupted, started: nil)
                    state.entries[id]!.ends.append(.init(key: key, ended: ended, jitter: 0))
                    return nil
                }
                state.slots += 1
                return start(run: run, of: machine.job, &state)
            }
        }
        for start in starts { launch(start) }
    }

    /// The store could not take the transition: nothing is lost, it is tried again.
    private func failed(_ id: JobID, _ error: any Error) {
        noteStoreFails(error)
        locked { state in
            guard state.entries[id] != nil else { return }
            state.disarm(id)
            state.entries[id]!.isStale = true
            state.entries[id]!.failures += 1
            let delay = Self.backoff(state.entries[id]!.failures)
            state.entries[id]!.timer = engine.schedule(at: engine.time.uptime().advanced(by: delay)) { [weak self] in
                self?.locked { $0.kick(id) }
            }
        }
    }

    func noteStoreFails(_ error: any Error) {
        let isNew = locked { state in
            defer { state.isStoreFailing = true }
            return !state.isStoreFailing
        }
        guard isNew else { return }
        logger.error(
            "the store refuses writes; what happens meanwhile is kept in memory and written later",
            metadata: ["error": "\(error)"])
    }

    func noteStoreWorks() {
        let was = locked { state in
            defer { state.isStoreFailing = false }
            return state.isStoreFailing
        }
        if was { logger.notice("the store takes writes again") }
    }

    /// Decides who looks at the job next: a timer, a task at once, the next free slot, a change of the conditions, or the
    /// next load. Call with the lock held.
    func rearm(_ id: JobID, _ state: inout SchedulerState) {
        guard state.phase == .running, let entry = state.entries[id] else { return }
        if entry.failures > 0 || entry.isKicked { return }
        let now = engine.time.wall()
        let isHeld = !entry.machine.awaited(now: now, unmet: state.unmet).isEmpty
        state.hold(id, isHeld)
        guard let wake = isHeld ? entry.machine.wakeWhileAwaiting(now: now) : entry.machine.job.wake else {
            state.disarm(id)
            if !entry.isRunning, !isHeld { state.unload(id) }
            reloadIfDrained(&state)
            return
        }
        if wake <= now {
            state.disarm(id)
            let isFull = state.slots >= configuration.maximumConcurrentRuns && entry.granted == 0
            let arrival = entry.machine.job.state == .scheduled ? entry.machine.job.nextDue : nil
            if isFull, arrival.map({ $0 > now }) ?? true,
                let due = entry.machine.oldestReady(now: now, unmet: state.unmet)
            {
                if !entry.isQueued {
                    state.entries[id]!.isQueued = true
                    state.queue.push(id, due: due)
                }
                if let arrival { arm(id, at: arrival, &state) }
            } else {
                state.kick(id)
            }
        } else if wake <= now.advanced(by: configuration.horizon) {
            arm(id, at: wake, &state)
        } else {
            state.disarm(id)
            if !entry.isRunning, !isHeld { state.unload(id) }
            scheduleLoad(at: wake.advanced(by: .zero - configuration.horizon), &state)
            reloadIfDrained(&state)
        }
    }

    private func arm(_ id: JobID, at wake: WallInstant, _ state: inout SchedulerState) {
        guard let entry = state.entries[id], entry.armedAt != wake else { return }
        state.disarm(id)
        state.entries[id]!.armedAt = wake
        state.entries[id]!.timer = engine.schedule(
            at: wake, tolerance: entry.machine.job.request.policies.tolerance
        ) { [weak self] in
            self?.locked { state in
                guard state.entries[id]?.armedAt == wake else { return }
                state.entries[id]!.armedAt = nil
                state.entries[id]!.timer = nil
                state.kick(id)
            }
        }
    }

    private func reloadIfDrained(_ state: inout SchedulerState) {
        guard state.isTruncated, state.loadedCount <= configuration.maximumLoaded / 2 else { return }
        state.isTruncated = false
        state.deferred.append(.load)
    }
}
