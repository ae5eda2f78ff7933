import ApusClient
import ApusJobs
import ApusTimers

/// Merges the upcoming occurrences of many jobs, soonest first, and computes hardly more of them than are listed.
///
/// The first occurrence of every job must be added. To bound the memory, a job is dropped if so many other jobs have an
/// earlier first occurrence that these occurrences alone exceed the number that can be listed.
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
        /// The jobs with further occurrences that are not listed because of the limit for each job.
        var truncated: [JobID] = []
        /// The instant from which on occurrences may be missing; `nil` if no limit for the whole list was reached.
        var cut: WallInstant?
    }

    // The type is `@unchecked Sendable` because the heap requires it; the value does not leave the task that made it.
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
    /// source that follows the given one, or `nil` if the period contains no further occurrence.
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
