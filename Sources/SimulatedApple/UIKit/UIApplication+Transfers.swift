import ApusBackground
import ApusDevice
import SimulatedAppleCore
import SimulatedURLSession

extension UIApplication {
    /// Hands the events of a background session to a background task of SwiftUI, or to the delegate.
    func receive(_ notice: TransferNotice) {
        let handlers = process.shared.existing(NoticeHandlers.self)
        guard handlers?.handle(notice) != true else { return }
        guard let delegate else { return process.transfers.complete(notice.number) }
        delegate.application(self, handleEventsForBackgroundURLSession: notice.session) { [process] in
            process.transfers.complete(notice.number)
        }
    }
}
