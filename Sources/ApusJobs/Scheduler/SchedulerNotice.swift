import Logging

/// A message for operators.
package enum SchedulerNotice: Sendable {
    case storeFails(any Error)
    case storeWorks
    case clockSet(by: Duration)
    case interrupted(jobs: Int)
    case parked(kind: String)
    case unserved(queue: QueueID)
    case timeZoneMissing(JobID, String)
    case handlersStillRun(Int)
    case handlerIsStuck(Run)
    case handlerIsAbandoned(JobID?, RunKey)
    case unwritten(Int)
    case lostOwnership(JobError)
    /// The outage of the store has lasted longer than ``JobScheduler/Configuration/storePatience``.
    case storeGivenUp(JobError)
    /// This program cannot read these jobs.
    case setAside([UnreadableJob])
    /// A submission in an application's transaction was refused, and is kept as refused.
    case submissionRefused(JobID?, JobError)
    /// A submission in an application's transaction has no effect because of this job.
    case submissionHasNoEffect(JobID, SubmissionOutcome)
}

extension SchedulerNotice {
    /// The largest number of jobs of one turn that are logged separately.
    private static let named = 20

    func log(to logger: Logger) {
        switch self {
        case .storeFails(let error):
            logger.error(
                "the store refuses writes; until it accepts them again, changes are kept in memory",
                metadata: ["error": "\(error)"])
        case .storeWorks: logger.notice("the store accepts writes again")
        case .clockSet(let offset): logger.notice("the wall clock was set", metadata: ["by": "\(offset)"])
        case .interrupted(let jobs): logger.notice("runs were interrupted", metadata: ["jobs": "\(jobs)"])
        case .timeZoneMissing(let job, let zone):
            logger.error(
                "a job waits because this machine does not have its time zone; install tzdata",
                metadata: ["job": "\(job)", "timeZone": "\(zone)"])
        case .parked(let kind):
            logger.warning(
                "jobs of a kind without a handler are due; they wait until a handler is registered",
                metadata: ["kind": "\(kind)"])
        case .unserved(let queue):
            logger.warning(
                "jobs are due in a queue that is not served; they wait until a scheduler serves it",
                metadata: ["queue": "\(queue)"])
        case .handlersStillRun(let runs):
            logger.warning(
                "handlers ignored cancellation; their runs are lost, and will be retried at the next start",
                metadata: ["runs": "\(runs)"])
        case .handlerIsStuck(let run):
            logger.warning(
                "a cancelled handler does not return; if it blocks a thread, other handlers cannot use that thread",
                metadata: Self.metadata(run.jobID, RunKey(run)))
        case .handlerIsAbandoned(let id, let run):
            logger.error(
                "a handler that does not return was given up; its run is lost, and its place is free",
                metadata: Self.metadata(id, run))
        case .storeGivenUp(let error):
            logger.critical(
                "the store cannot be used; this scheduler has stopped", metadata: ["error": "\(error)"])
        case .unwritten(let runs):
            logger.error(
                "the store did not accept the outcomes of runs; these runs are lost, and will be retried at the next start",
                metadata: ["runs": "\(runs)"])
        case .lostOwnership(let error):
            logger.critical(
                "the store has another owner; this scheduler has stopped", metadata: ["error": "\(error)"])
        case .setAside(let jobs):
            for job in jobs.prefix(Self.named) {
                logger.error(
                    "a job cannot be read, so it is set aside",
                    metadata: ["job": "\(job.id)", "key": "\(job.key)", "problem": "\(job.problem)"])
            }
            if jobs.count > Self.named {
                logger.error("more jobs cannot be read", metadata: ["jobs": "\(jobs.count - Self.named)"])
            }
        case .submissionRefused(let id, let error):
            logger.notice(
                "a job that was submitted in an application's transaction was refused; the store keeps the refusal",
                metadata: ["job": "\(id?.rawValue ?? "unknown")", "error": "\(error)"])
        case .submissionHasNoEffect(let id, let outcome):
            logger.info(
                "a job that was submitted in an application's transaction exists already, and was not changed",
                metadata: ["job": "\(id)", "outcome": "\(outcome.rawValue)"])
        }
    }

    private static func metadata(_ id: JobID?, _ run: RunKey) -> Logger.Metadata {
        [
            "job": "\(id?.rawValue ?? "unknown")", "occurrence": "\(run.occurrence)", "attempt": "\(run.attempt)",
        ]
    }
}
