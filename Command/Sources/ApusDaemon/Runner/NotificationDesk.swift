import ApusBackground
import ApusClient
import ApusJobs
import Logging

/// Shows texts: through the desktop, else at the terminals that are attached, and then in the log too.
///
/// A terminal that is gone counts as attached until its connection is known to be closed, so a text that no desktop shows
/// is in the log in any case.
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
                logger.info("no notification through the desktop", metadata: ["reason": "\(error)"])
            }
        }
        let isAttached = attached.notify(WireNotification(job: job.rawValue, text: text))
        logger.notice(
            "notification",
            metadata: [
                "job": "\(job)", "title": "\(title)", "text": "\(PrintableText.escaped(text))",
                "shown": isAttached ? "at attached terminals" : "here only",
            ])
    }
}
