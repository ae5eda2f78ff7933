import ApusBackground
import ApusTimers

/// Looking at what the host's device is like: when a job that asks for conditions is due, and while one waits for them.
extension JobScheduler {
    /// Jobs that come due together share one reading, which costs some hosts tens of milliseconds.
    private static let readingLasts: Duration = .milliseconds(100)

    /// What holds a job back although it is due, of its ``JobPolicies/conditions``, as the scheduler saw last. Empty when
    /// nothing does: no occurrence is due, the conditions hold, something else is in the way, or nobody can tell them.
    public func awaitedConditions(_ id: JobID) -> JobConditions {
        locked { state in
            guard state.held.contains(id), let job = state.entries[id]?.machine.job else { return [] }
            return job.request.policies.conditions.intersection(state.unmet)
        }
    }

    func readConditionsIfNeeded(by id: JobID) {
        guard let host else { return }
        let isNeeded = locked { state in
            guard state.phase == .running, let job = state.entries[id]?.machine.job else { return false }
            return !job.request.policies.conditions.isEmpty
        }
        if isNeeded { readConditions(of: host, canShare: true) }
    }

    /// Lets the jobs go that wait for what holds now.
    private func readConditions(of host: any BackgroundHost, canShare: Bool) {
        // One reading after another, so that none covers up a later one.
        lastReading.withLock { last in
            let now = engine.time.uptime()
            if canShare, let last, last.duration(to: now) < Self.readingLasts { return }
            last = now
            let unmet = JobConditions.unmet(on: host.conditions)
            locked { state in
                state.unmet = unmet
                // The oldest first, in the same order in every process.
                let released = state.held.compactMap { id -> (wake: WallInstant, id: JobID)? in
                    guard let job = state.entries[id]?.machine.job, let wake = job.wake else { return nil }
                    return job.request.policies.conditions.isDisjoint(with: unmet) ? (wake, id) : nil
                }
                for job in released.sorted(by: <) { state.kick(job.id) }
            }
        }
    }

    /// Looks again at every change, until `end` is over.
    func followConditions(until end: AsyncStream<Never>) {
        // Without a host every condition counts as met, so nothing waits.
        guard let host else { return }
        _ = Task(executorPreference: executor) { [weak self] in
            let changes = host.conditionChanges
            // What changed since the reading that held the job back is not among them.
            self?.readConditions(of: host, canShare: false)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [weak self] in
                    for await _ in changes { self?.readConditions(of: host, canShare: false) }
                }
                group.addTask {
                    for await _ in end {}
                }
                await group.next()
                group.cancelAll()
            }
        }
    }
}
