import ApusBackground
import ApusClient
import ApusJobs
import Logging

/// Shows notifications on the desktop, or else on the attached terminals and in the log.
///
/// A terminal that was closed counts as attached until its connection is known to be closed, so a text that no desktop
/// shows is always in the log.
struct NotificationDesk: Sendable {
    var desktop: (any Notifier)?
    var attached: EventFeeds
    var logger: Logger

    func show(title: String, text: String, job: JobID) async {
        let title = PrintableText.escaped(title)
        let text = PrintableText.escaped(text, keeping: PrintableText.lineCharacters)
        if let desktop {
            do {
                try await desktop.notify(UserNotification(title: title, body: text))
                return
            } catch {
                logger.info("the desktop cannot show a notification", metadata: ["reason": "\(error)"])
            }
        }
        let isAttached = attached.notify(WireNotification(job: job.rawValue, text: text))
        logger.notice(
            "notification",
            metadata: [
                "job": "\(job)", "title": "\(title)", "text": "\(PrintableText.escaped(text))",
                "shown": isAttached ? "at attached terminals" : "only in this log",
            ])
    }
}
