import ApusBackground
import ApusTimers
import ApusVirtualTime

/// The runs of background jobs in progress: what they mean for the app's process, and when the next of them has to be
/// notified. From any thread.
final class JobRuns: Sendable {
    private struct State {
        /// In the order of their beginning.
        var all: [SimulatedTask] = []
        /// When something happens to one of them.
        var nextDeadline: ScheduledTimer?
    }

    private let state = Locked(State())
    private let surroundings: PartSurroundings

    init(_ surroundings: PartSurroundings) { self.surroundings = surroundings }

    /// In the order of their beginning.
    var all: [SimulatedTask] { state.withLock { $0.all } }

    func add(_ run: SimulatedTask) { state.withLock { $0.all.append(run) } }
    func remove(_ run: SimulatedTask) { state.withLock { $0.all.removeAll { $0 === run } } }
    func removeAll() -> [SimulatedTask] { state.exchange(\.all, with: []) }

    /// A run has come, gone, begun or expired.
    func changed() {
        deadlinesChanged()
        surroundings.keepRunning(ProcessCover(all))
    }

    /// A run's own instants are others now.
    func deadlinesChanged() {
        state.withLock { state in
            let next = state.all.compactMap(\.nextInstant).min().map { next in
                surroundings.engine.schedule(at: UptimeInstant(nanoseconds: next)) { [weak self] in
                    MainActor.assumeIsolated { self?.deadlineCame() }
                }
            }
            state.nextDeadline.replace(with: next)
        }
    }

    @MainActor
    private func deadlineCame() {
        let now = surroundings.time.uptime().nanoseconds
        for run in all where run.pass(now: now) == .expire { run.expire() }
        endOverdue()
        deadlinesChanged()
    }

    // MARK: Too late

    /// When runs have to be over.
    var limits: [ProcessLimit] { all.compactMap(\.end).map { ProcessLimit(instant: $0, apply: endOverdue) } }

    /// Ends the process if a run was not completed in time.
    func endOverdue() {
        guard let host = surroundings.host, !host.process.isEnded else { return }
        let now = surroundings.time.uptime().nanoseconds
        let overdue = all.filter { $0.pass(now: now) == .overdue }
        guard !overdue.isEmpty else { return }
        for run in overdue {
            surroundings.fault(
                Fault(.jobNotCompleted, "complete “\(run.identifier)” in its expiration handler or soon afterwards"))
        }
        let names = overdue.map { "“\($0.identifier)”" }.joined(separator: ", ")
        host.end("\(TerminationCode.taskTimeout): background job \(names) was not completed in time")
    }
}

extension ProcessCover {
    /// The runs keep their process running until the last of them has to be over; nil without any.
    init?(_ runs: [SimulatedTask]) {
        guard !runs.isEmpty else { return nil }
        let ends = runs.map(\.end)
        end = ends.contains(nil) ? nil : ends.compactMap(\.self).max()
        isComputingFreely = runs.contains { $0.request.kind.isComputingFreely }
    }
}
