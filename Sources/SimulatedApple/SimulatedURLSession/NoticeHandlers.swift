package import ApusDevice
import ApusTimers

/// What is called instead of the app's delegate when there are events to handle for a session: SwiftUI's background tasks.
package final class NoticeHandlers: Sendable {
    private struct Handler: Sendable {
        let matches: @Sendable (String) -> Bool
        let handle: @MainActor @Sendable (TransferNotice) -> Void
    }

    private let handlers = Locked<[Handler]>([])

    package init() {}

    /// `handle` is called for the sessions that match, on the main loop.
    package func add(
        _ matches: @escaping @Sendable (String) -> Bool,
        _ handle: @escaping @MainActor @Sendable (TransferNotice) -> Void
    ) { handlers.withLock { $0.append(Handler(matches: matches, handle: handle)) } }

    /// False if none is for that session.
    @MainActor
    package func handle(_ notice: TransferNotice) -> Bool {
        let all = handlers.withLock { $0 }
        guard let handler = all.first(where: { $0.matches(notice.session) }) else { return false }
        handler.handle(notice)
        return true
    }
}
