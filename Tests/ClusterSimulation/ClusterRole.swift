import ApusJobs

/// The jobs that a process can run, at its start and later.
struct ClusterRole: CustomStringConvertible {
    /// The kinds that have a handler from the start.
    var kinds: Set<String> = ["work"]
    /// The kinds whose handlers are registered later, and the delay after the start in milliseconds.
    var later: (kinds: Set<String>, after: Int) = ([], 0)
    var queues = QueueSelection.all

    /// The jobs that the process can run at the start.
    var jobs: RunnableJobs { RunnableJobs(kinds: kinds, queues: queues) }

    /// Returns whether a handler of the process may ever be called for the job.
    func mayRun(_ request: JobRequest) -> Bool {
        kinds.union(later.kinds).contains(request.kind) && queues.contains(request.queue)
    }

    var description: String {
        let served = if case .only(let queues) = queues { "\(queues.sorted())" } else { "all queues" }
        return "\(kinds.sorted()), \(later.kinds.sorted()) after \(later.after) ms, of \(served)"
    }

    static let all: Set<String> = ["work", "rare"]

    /// Returns the role of the process with this number, in a history with different roles.
    ///
    /// Two processes can eventually run all jobs, so that one of them is left when a process is killed.
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
