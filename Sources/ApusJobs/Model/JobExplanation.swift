public import ApusTimers

/// The decisions about an occurrence of a job, in their order: why it ran, did not run, or waits
/// (``JobScheduler/explain(_:occurrence:)``).
public struct JobExplanation: Hashable, Sendable, Codable {
    /// The identifier of the job.
    public var jobID: JobID
    /// The number of the occurrence; `nil` if the job has no occurrence to come.
    public var occurrence: Int?
    /// The decisions that were made, the conditions that hold the occurrence back now, and the instant at which the job
    /// is examined next.
    public var decisions: [Decision]

    /// Creates an explanation.
    public init(jobID: JobID, occurrence: Int?, decisions: [Decision]) {
        self.jobID = jobID
        self.occurrence = occurrence
        self.decisions = decisions
    }

    private enum CodingKeys: String, CodingKey {
        case jobID = "job"
        case occurrence, decisions
    }

    /// A decision, or a condition that a run waits for.
    public struct Decision: Hashable, Sendable, Codable {
        /// The kind of the decision.
        public var code: Code
        /// The instant at which the decision was made or will take effect; `nil` for a condition that holds now.
        public var instant: WallInstant?
        /// The decision in words, without the instant.
        public var text: String

        /// Creates a decision.
        public init(code: Code, instant: WallInstant? = nil, text: String) {
            self.code = code
            self.instant = instant
            self.text = text
        }
    }

    /// The kind of a decision.
    public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        /// The trigger made the occurrence due.
        case due
        /// A change of the clock, or of the zone's rules, affected the due instant.
        case clockChange
        /// The occurrence waits because the zone of its schedule does not exist.
        case timeZoneMissing
        /// The run was requested by hand, not by the trigger.
        case byHand
        /// The run makes up for occurrences that no scheduler could run.
        case catchUp
        /// The occurrence was skipped, with a ``SkipReason``.
        case skipped
        /// An attempt got a place, and its claim was committed.
        case claimed
        /// The handler was called.
        case started
        /// The handler reported its progress.
        case progress
        /// The handler is still running.
        case running
        /// The handler was cancelled, and has not returned.
        case told
        /// The handler was cancelled at least 10 s ago, and has not returned.
        case stuck
        /// An attempt succeeded.
        case succeeded
        /// An attempt failed.
        case failed
        /// The process ended during an attempt, or the handler was given up.
        case lost
        /// The run was cancelled.
        case cancelled
        /// The handler asked to be called again later.
        case snoozed
        /// An attempt waits for the end of its delay.
        case delay = "pause"
        /// The occurrence is skipped if it has not begun by this instant.
        case expiry
        /// The run waits because the job is suspended.
        case suspended
        /// The run waits for conditions of the device.
        case conditions
        /// The run waits for an earlier occurrence of the job.
        case overlap
        /// The run waits until this program has a handler for its kind.
        case parked
        /// The run waits because its queue is paused.
        case queuePaused
        /// The run waits because its queue has reached its limit of runs in progress.
        case queueFull
        /// The run waits because the runs in progress with its fairness key have reached the queue's limit for one key.
        case keyFull
        /// The run waits because its queue has reached its rate.
        case queueRate
        /// The run waits because the scheduler has reached its limit of runs in progress.
        case noPlace
        /// The run waits for a place, as other runs of its queue do.
        case queued
        /// The run waits because the store cannot be written or read.
        case storeFails
        /// The run waits because no scheduler runs.
        case notRunning
        /// The job has ended and no occurrence is to come, or the occurrence is not retried.
        case ended
        /// The job is examined next at this instant.
        case nextLook
    }
}
