import ApusClient
import ApusJobs

/// The last 64 KiB of the output of each run in progress, computed from the scheduler's events.
struct RunningOutputs {
    struct Attempt: Hashable {
        var job: JobID
        var occurrence: Int
        var attempt: Int
    }

    static let limit = 64 * 1024
    /// The output of each attempt; `end` is the number of bytes that the attempt had printed up to the end of `bytes`.
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
            // Output may arrive after the end of its run, for example from a process that outlives its command. It
            // belongs to no run, and is dropped.
            guard let end = printed[key]?.end else { break }
            // If output is missing before this piece, the earlier output is dropped, because the stored output must
            // have no gap.
            if offset != end { printed[key]?.bytes = [] }
            printed[key]?.end = offset + piece.count
            printed[key]?.bytes.append(contentsOf: piece.suffix(Self.limit))
            // The output is trimmed at twice the limit, so that a command with much output does not move 64 KiB for
            // each line.
            if let count = printed[key]?.bytes.count, count > 2 * Self.limit {
                printed[key]?.bytes.removeFirst(count - Self.limit)
            }
        default: break
        }
    }

    /// Replaces the runs in progress after events were dropped, among which may be the beginnings and ends of runs.
    ///
    /// - Parameter running: All runs in progress. The output of those that are known is kept.
    mutating func follow(_ running: [Run]) {
        let attempts = Set(running.map(Attempt.init))
        printed = printed.filter { attempts.contains($0.key) }
        for run in running where printed[Attempt(run)] == nil { note(.runStarted(run)) }
    }

    /// Returns the output of the runs in progress of a job, or of all jobs, in the order in which they began.
    ///
    /// `offset` is the number of bytes that the attempt had printed before `bytes`.
    func all(of job: JobID?) -> [(attempt: Attempt, offset: Int, bytes: [UInt8])] {
        printed.filter { job == nil || $0.key.job == job }.sorted { $0.value.number < $1.value.number }
            .map { key, output in
                let bytes = Array(output.bytes.suffix(Self.limit))
                return (key, output.end - bytes.count, bytes)
            }
    }

    /// Returns the output of an occurrence's run, or of the job's newest run; `nil` if none is in progress.
    func output(of job: JobID, occurrence: Int?) -> [UInt8]? {
        all(of: job).last { occurrence == nil || $0.attempt.occurrence == occurrence }?.bytes
    }
}

extension RunningOutputs.Attempt {
    init(_ run: Run) { self.init(job: run.jobID, occurrence: run.occurrence, attempt: run.attempt) }
}
