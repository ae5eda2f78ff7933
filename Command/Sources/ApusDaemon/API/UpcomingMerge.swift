import ApusClient
import ApusJobs
import ApusTimers

/// Merges the occurrences to come of many jobs, soonest first, and computes no more of them than are listed.
///
/// The first occurrence of every job is needed. A job is dropped if its first occurrence comes after as many others as
/// can be listed, so that memory is bounded.
struct UpcomingMerge<Source> {
    struct Occurrence: Comparable {
        var due: WallInstant
        var note: DueNote?
        var job: JobID
        var name: String?

        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.due, lhs.job) < (rhs.due, rhs.job) }
        static func == (lhs: Self, rhs: Self) -> Bool { (lhs.due, lhs.job) == (rhs.due, rhs.job) }
    }

    struct Merged {
        var occurrences: [Occurrence] = []
        /// The jobs that have more occurrences than may be listed of one job.
        var truncated: [JobID] = []
        /// The instant from which on occurrences may be missing, if the bound of all jobs was reached.
        var cut: WallInstant?
    }

    // For `@unchecked Sendable`: the heap requires it, and the value does not leave the task that made it.
    private struct Candidate: Comparable, @unchecked Sendable {
        var next: Occurrence
        var source: Source
        var listed = 0

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.next < rhs.next }
        static func == (lhs: Self, rhs: Self) -> Bool { lhs.next == rhs.next }
    }

    /// The maximum number of listed occurrences of each job, and of all jobs together.
    let limits: (perJob: Int, all: Int)
    private var candidates: [Candidate] = []

    init(perJob: Int, all: Int) { limits = (perJob, all) }

    /// Adds a job with its first occurrence.
    mutating func add(_ first: Occurrence, _ source: Source) {
        candidates.append(Candidate(next: first, source: source))
        // One candidate more than can be listed is kept, so that `merged` notices that occurrences are missing.
        if candidates.count > 2 * (limits.all + 1) { candidates = Array(candidates.sorted().prefix(limits.all + 1)) }
    }

    /// Returns the earliest occurrences.
    ///
    /// `size` returns the approximate size of an occurrence in the answer, in bytes. `next` returns the occurrence of a
    /// source that follows another one, or `nil` if it is not in the period.
    consuming func merged(
        size: (Occurrence) -> Int, next: (inout Source, _ after: Occurrence) throws -> Occurrence?
    ) rethrows -> Merged {
        var merged = Merged()
        var heap = Heap(candidates)
        var bytes = 0
        while var first = heap.pop() {
            if merged.occurrences.count == limits.all || bytes > BoundedPage.bytes {
                merged.cut = first.next.due
                break
            }
            merged.occurrences.append(first.next)
            bytes += size(first.next)
            first.listed += 1
            guard let following = try next(&first.source, first.next) else { continue }
            if first.listed == limits.perJob {
                merged.truncated.append(first.next.job)
            } else {
                first.next = following
                heap.push(first)
            }
        }
        return merged
    }
}
