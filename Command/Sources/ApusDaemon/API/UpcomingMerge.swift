import ApusClient
import ApusJobs
import ApusTimers

/// Merges what is to come of many jobs, the soonest first, and computes no more of it than is listed.
///
/// Of all jobs the first occurrence is needed; jobs whose first occurrence comes after as many others as can be listed
/// are dropped, so that memory is bounded too.
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
        /// Jobs of which as many are listed as of one job, and that have more.
        var truncated: [JobID] = []
        /// The bound for all jobs was reached: what is due at or after this instant may be missing.
        var cut: WallInstant?
    }

    // For `@unchecked Sendable`: the heap wants it, and does not leave the task that made it.
    private struct Candidate: Comparable, @unchecked Sendable {
        var next: Occurrence
        var source: Source
        var listed = 0

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.next < rhs.next }
        static func == (lhs: Self, rhs: Self) -> Bool { lhs.next == rhs.next }
    }

    /// How many occurrences of each job, and of all jobs, are listed at most.
    let limits: (perJob: Int, all: Int)
    private var candidates: [Candidate] = []

    init(perJob: Int, all: Int) { limits = (perJob, all) }

    /// Adds a job with its first occurrence.
    mutating func add(_ first: Occurrence, _ source: Source) {
        candidates.append(Candidate(next: first, source: source))
        // One more than can be listed shows that something is missing.
        if candidates.count > 2 * (limits.all + 1) { candidates = Array(candidates.sorted().prefix(limits.all + 1)) }
    }

    /// The earliest occurrences. `size` is about how many bytes one has in the answer, and `next` finds the occurrence of a
    /// source that follows another one, if it is still wanted.
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
