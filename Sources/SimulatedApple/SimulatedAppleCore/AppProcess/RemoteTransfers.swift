import ApusDevice
import ApusTimers

/// The phone's background sessions, seen from an app's own process.
final class RemoteTransfers: PhoneTransfers {
    private struct State {
        var onNotice: (@MainActor @Sendable (TransferNotice) -> Void)?
        var handlers: [String: @MainActor @Sendable (TransferEvent) -> Void] = [:]
    }

    private let link: AppLink
    private let state = Locked(State())

    init(_ link: AppLink) { self.link = link }

    var onNotice: (@MainActor @Sendable (TransferNotice) -> Void)? {
        get { state.withLock { $0.onNotice } }
        set { state.exchange(\.onNotice, with: newValue) }
    }

    func open(
        _ session: String, _ settings: TransferSettings,
        _ handler: @escaping @MainActor @Sendable (TransferEvent) -> Void
    ) -> Bool {
        replaceHandler(of: session, with: handler)
        return link.ask(.transfers(.open(session, settings)), for: Bool.self)
    }

    private func replaceHandler(of session: String, with new: (@MainActor @Sendable (TransferEvent) -> Void)?) {
        let old = state.withLock { state in
            defer { state.handlers[session] = new }
            return state.handlers[session]
        }
        // Released outside the lock: what it captured may do anything when it goes.
        withExtendedLifetime(old) {}
    }

    func invalidate(_ session: String, cancelsTasks: Bool) {
        link.perform(.transfers(.invalidate(session, cancelsTasks: cancelsTasks)))
    }

    func add(_ request: TransferRequest, to session: String) -> TransferRecord {
        link.ask(.transfers(.add(request, session: session)), for: TransferRecord.self)
    }

    func change(_ number: Int, of session: String, _ change: TransferChange) {
        link.perform(.transfers(.change(number, session: session, change)))
    }

    func records(of session: String) -> [TransferRecord] {
        link.ask(.transfers(.records(session)), for: [TransferRecord].self)
    }

    func record(_ number: Int, of session: String) -> TransferRecord? {
        link.ask(.transfers(.record(number, session: session)), for: TransferRecord?.self)
    }

    func complete(_ notice: Int) { link.perform(.transfers(.complete(notice))) }

    @MainActor
    func handle(_ event: AppEvent) {
        switch event {
        case .transfersEnded(let notice): onNotice?(notice)
        case .transfer(let session, let event):
            let handler = state.withLock { $0.handlers[session] }
            if event == .invalidated { replaceHandler(of: session, with: nil) }
            handler?(event)
        default: break
        }
    }
}
