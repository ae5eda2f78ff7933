public import ApusTimers

/// Why an occurrence of a job ran, did not run, or waits: the decisions about it, in their order
/// (``JobScheduler/explain(_:occurrence:)``).
public struct JobExplanation: Hashable, Sendable, Codable {
    /// The identifier of the job.
    public var jobID: JobID
    /// The occurrence; `nil` for a job without one to come.
    public var occurrence: Int?
    /// What was decided, what holds it back now, and when it is looked at next.
    public var decisions: [Decision]

    /// An explanation.
    public init(jobID: JobID, occurrence: Int?, decisions: [Decision]) {
        self.jobID = jobID
        self.occurrence = occurrence
        self.decisions = decisions
    }

    private enum CodingKeys: String, CodingKey {
        case jobID = "job"
        case occurrence, decisions
    }

    /// One decision, or one condition that a run waits for.
    public struct Decision: Hashable, Sendable, Codable {
        /// What it is.
        public var code: Code
        /// When it was made, or comes true; `nil` where that is now.
        public var instant: WallInstant?
        /// The same in words, without the instant.
        public var text: String

        /// A decision.
        public init(code: Code, instant: WallInstant? = nil, text: String) {
            self.code = code
            self.instant = instant
            self.text = text
        }
    }

    /// What a decision is.
    public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        /// The trigger made it due.
        case due
        /// What a change of the clock, or of the zone's rules, did to its due instant.
        case clockChange
        /// It waits because the zone of its schedule is not there.
        case timeZoneMissing
        /// It was not due by the trigger, but asked for by hand.
        case byHand
        /// It makes up for occurrences that no scheduler could run.
        case catchUp
        /// It never ran: it was missed, coalesced into another one, or overlapped.
        case skipped
        /// An attempt got a place, and was committed.
        case claimed
        /// Its handler was called.
        case started
        /// The handler has reported how far it is.
        case progress
        /// The handler is still running.
        case running
        /// The handler was cancelled, and has not returned.
        case told
        /// The handler was cancelled 10 s ago or earlier, and has not returned.
        case stuck
        /// An attempt succeeded.
        case succeeded
        /// An attempt failed.
        case failed
        /// The process ended during an attempt, or the handler was given up.
        case lost
        /// It was cancelled.
        case cancelled
        /// A handler asked to be called again later.
        case snoozed
        /// An attempt waits for the end of its delay.
        case delay = "pause"
        /// It is skipped if it has not begun by then.
        case expiry
        /// It waits because the job is suspended.
        case suspended
        /// It waits for conditions.
        case conditions
        /// It waits for an earlier occurrence of the job.
        case overlap
        /// It waits until this program has a handler for its kind.
        case parked
        /// It waits because its queue is paused.
        case queuePaused
        /// It waits because its queue has reached its limit of runs in progress.
        case queueFull
        /// It waits because its fairness key has reached the queue's limit of runs of one key in progress.
        case keyFull
        /// It waits because so many of its queue have begun as the rate allows.
        case queueRate
        /// It waits because the scheduler has reached its limit of runs in progress.
        case noPlace
        /// It waits for others of its queue that are before it.
        case queued
        /// It waits because the store cannot be written or read.
        case storeFails
        /// It waits because no scheduler runs.
        case notRunning
        /// The job has ended: nothing is to come.
        case ended
        /// When it is looked at next.
        case nextLook
    }
}
