import ApusTimers

/// A run that has begun and is not complete.
struct HostBackgroundRunEntry: Sendable {
    let number: Int
    let pending: PendingBackgroundJob
    let began: UptimeInstant
    /// When it expires, whatever it does.
    let deadline: UptimeInstant?
    /// What to put back when the host does not grant the run.
    let formerSpacing: StoredInstant?
    /// Whether it was begun against the rules, so that the device's conditions do not end it.
    let isSimulated: Bool
    var isExpiring = false
    var lastProgress: UptimeInstant
    var progress: HostBackgroundJobs.Running.Progress?
    var title: String?
    var subtitle: String?

    var request: BackgroundJobRequest { pending.request }

    /// The request with what the user is to read now.
    var shownRequest: BackgroundJobRequest {
        guard case .continued(var job) = request.kind else { return request }
        job.title = title ?? job.title
        job.subtitle = subtitle ?? job.subtitle
        var shown = request
        shown.kind = .continued(job)
        return shown
    }
}
