/// The jobs that can run here, by kind and queue, and the due jobs that cannot.
struct HandlerKinds {
    private(set) var runnable: RunnableJobs
    /// The kinds that the log has reported as having no handler.
    private var reportedKinds: Set<String> = []
    /// The queues that are not served and that the log has reported.
    private var reportedQueues: Set<QueueID> = []
    private(set) var parked = JobsByLane()

    init(serving queues: QueueSelection = .all) { runnable = RunnableJobs(kinds: [], queues: queues) }

    func hasHandler(for kind: String) -> Bool { runnable.kinds.contains(kind) }

    func canRun(_ request: JobRequest) -> Bool { runnable.contains(request) }

    /// Registers the handler of a kind.
    ///
    /// - Returns: Whether the kind had no handler.
    mutating func register(_ kind: String) -> Bool {
        reportedKinds.remove(kind)
        return runnable.kinds.insert(kind).inserted
    }

    mutating func park(_ entry: LoadedJobs.Entry, _ effects: inout [SchedulerEffect]) {
        let request = entry.job.request
        parked.insert(entry.key, request.lane)
        if !hasHandler(for: request.kind) {
            if reportedKinds.insert(request.kind).inserted { effects.append(.log(.parked(kind: request.kind))) }
        } else if reportedQueues.insert(request.queue).inserted {
            effects.append(.log(.unserved(queue: request.queue)))
        }
    }

    mutating func unpark(_ key: Int64) { parked.remove(key) }
}
