import ApusJobs

/// What a process can run, and from when on.
struct ClusterRole: CustomStringConvertible {
    /// Kinds that have a handler from the start.
    var kinds: Set<String> = ["work"]
    /// Kinds whose handlers are registered so many milliseconds after the start.
    var later: (kinds: Set<String>, after: Int) = ([], 0)
    var queues = QueueSelection.all

    /// At the start.
    var jobs: RunnableJobs { RunnableJobs(kinds: kinds, queues: queues) }

    /// Whether a handler of it may be called for the job, sooner or later.
    func mayRun(_ request: JobRequest) -> Bool {
        kinds.union(later.kinds).contains(request.kind) && queues.contains(request.queue)
    }

    var description: String {
        let served = if case .only(let queues) = queues { "\(queues.sorted())" } else { "all queues" }
        return "\(kinds.sorted()), \(later.kinds.sorted()) after \(later.after) ms, of \(served)"
    }

    static let all: Set<String> = ["work", "rare"]

    /// Of the process with this number, in a history in which they are not the same. Two can run all jobs in the end, so
    /// that one is left when a process is killed.
    static func drawn(for number: Int, _ pick: (Int) -> Int) -> ClusterRole {
        if number < 2 {
            return pick(2) == 0
                ? ClusterRole(kinds: all) : ClusterRole(kinds: ["work"], later: (["rare"], 1_000 + pick(4_000)))
        }
        return switch pick(7) {
        case 0: ClusterRole(kinds: all, queues: .nothing)
        case 1: ClusterRole(kinds: [])
        case 2: ClusterRole(kinds: [], later: (all, 500 + pick(5_000)))
        case 3: ClusterRole(kinds: ["rare"])
        case 4: ClusterRole(kinds: all, queues: .only(["default"]))
        case 5: ClusterRole(kinds: all, queues: .only(["one", "few"]))
        default: ClusterRole()
        }
    }
}
