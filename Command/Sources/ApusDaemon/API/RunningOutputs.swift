import ApusClient
import ApusJobs

/// What the runs in progress have printed so far, of each the last 64 KiB: a value that the events of the scheduler
/// change.
struct RunningOutputs {
    struct Attempt: Hashable {
        var job: JobID
        var occurrence: Int
        var attempt: Int
    }

    static let limit = 64 * 1024
    /// `end` is how many bytes the attempt had printed after the last of `bytes`.
    private var printed: [Attempt: (number: Int, end: Int, bytes: [UInt8])] = [:]
    private var lastNumber = 0

    mutating func note(_ event: JobEvent) {
        switch event {
        case .runStarted(let run):
            lastNumber += 1
            printed[Attempt(run)] = (lastNumber, 0, [])
        case .runEnded(let run), .runPostponed(let run): printed[Attempt(run)] = nil
        case .output(let job, let occurrence, let attempt, let offset, let piece):
            let key = Attempt(job: job, occurrence: occurrence, attempt: attempt)
            // What is printed after the end, as by a process that outlives its command, belongs to no run.
            guard let end = printed[key]?.end else { break }
            // What is kept has no gap.
            if offset != end { printed[key]?.bytes = [] }
            printed[key]?.end = offset + piece.count
            printed[key]?.bytes.append(contentsOf: piece.suffix(Self.limit))
            // Cut by halves, so that a chatty command does not move 64 KiB for each line.
            if let count = printed[key]?.bytes.count, count > 2 * Self.limit {
                printed[key]?.bytes.removeFirst(count - Self.limit)
            }
        // The ends of runs may be among the events that were left out.
        case .dropped(let events, _) where events > 0: printed = [:]
        default: break
        }
    }

    /// Of the runs in progress of a job, or of all jobs, in the order in which they began; with how many bytes each had
    /// printed before those.
    func all(of job: JobID?) -> [(attempt: Attempt, offset: Int, bytes: [UInt8])] {
        printed.filter { job == nil || $0.key.job == job }.sorted { $0.value.number < $1.value.number }
            .map { key, output in
                let bytes = Array(output.bytes.suffix(Self.limit))
                return (key, output.end - bytes.count, bytes)
            }
    }

    /// Of the run of an occurrence, or of the job's newest one; `nil` if none runs.
    func output(of job: JobID, occurrence: Int?) -> [UInt8]? {
        all(of: job).last { occurrence == nil || $0.attempt.occurrence == occurrence }?.bytes
    }
}

extension RunningOutputs.Attempt {
    init(_ run: Run) { self.init(job: run.jobID, occurrence: run.occurrence, attempt: run.attempt) }
}
