import Logging

/// A message for operators.
package enum SchedulerNotice: Sendable {
    case storeFails(any Error)
    case storeWorks
    case clockSet(by: Duration)
    case interrupted(jobs: Int)
    case parked(kind: String)
    /// A job waits because its time zone is missing.
    case timeZoneMissing(JobID, String)
    case handlersStillRun(Int)
    case unwritten(Int)
    case lostOwnership(JobError)
    /// This program cannot read these jobs.
    case setAside([UnreadableJob])
    /// A submission in an application's transaction was refused, and is kept as such.
    case submissionRefused(JobID?, JobError)
}

extension SchedulerNotice {
    /// How many jobs of one turn have a line of their own.
    private static let named = 20

    func log(to logger: Logger) {
        switch self {
        case .storeFails(let error):
            logger.error(
                "the store refuses writes; what happens meanwhile is kept in memory and written later",
                metadata: ["error": "\(error)"])
        case .storeWorks: logger.notice("the store takes writes again")
        case .clockSet(let offset): logger.notice("the wall clock was set", metadata: ["by": "\(offset)"])
        case .interrupted(let jobs): logger.notice("runs were interrupted", metadata: ["jobs": "\(jobs)"])
        case .timeZoneMissing(let job, let zone):
            logger.error(
                "a job waits: its time zone is not there; install tzdata",
                metadata: ["job": "\(job)", "timeZone": "\(zone)"])
        case .parked(let kind):
            logger.warning(
                "jobs are due whose kind has no handler; they wait until one is registered",
                metadata: ["kind": "\(kind)"])
        case .handlersStillRun(let runs):
            logger.warning(
                "handlers ignored cancellation; their runs are lost, and will be retried at the next start",
                metadata: ["runs": "\(runs)"])
        case .unwritten(let runs):
            logger.error(
                "the store would not take the outcomes of runs; they are lost, and will be retried at the next start",
                metadata: ["runs": "\(runs)"])
        case .lostOwnership(let error):
            logger.critical(
                "the store has another owner; this scheduler has stopped", metadata: ["error": "\(error)"])
        case .setAside(let jobs):
            for job in jobs.prefix(Self.named) {
                logger.error(
                    "a job cannot be read, and is set aside",
                    metadata: ["job": "\(job.id)", "key": "\(job.key)", "problem": "\(job.problem)"])
            }
            if jobs.count > Self.named {
                logger.error("more jobs cannot be read", metadata: ["jobs": "\(jobs.count - Self.named)"])
            }
        case .submissionRefused(let id, let error):
            logger.notice(
                "a job that was submitted in an application's transaction was refused, and is kept as such",
                metadata: ["job": "\(id?.rawValue ?? "unknown")", "error": "\(error)"])
        }
    }
}
