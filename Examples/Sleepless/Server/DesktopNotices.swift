import ApusBackground
import ApusTimers
import Foundation
import Synchronization

/// A notifier for the desktop that also reports whether notifications are shown.
///
/// The page shows this report, so that it promises no notifications that the user will not see.
final class DesktopNotices: Notifier {
    private let desktop: any Notifier
    private let hasBus: Bool
    private let last = Mutex<Outcome?>(nil)

    private enum Outcome {
        case shown
        case failed(String)
    }

    /// Creates a notifier.
    ///
    /// - Parameters:
    ///   - desktop: The notifier of the desktop.
    ///   - environment: The environment whose variables name the session's bus, as for the desktop's own libraries.
    init(
        _ desktop: any Notifier, environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.desktop = desktop
        hasBus = Self.hasBus(environment)
    }

    /// The page's sentence about what happens to notifications.
    var summary: String {
        switch last.withLock({ $0 }) {
        case .shown: "The desktop shows them, while this process runs."
        case .failed(let why): "The last one was not shown: \(why)."
        case nil where hasBus: "They are sent to the desktop, while this process runs. None was sent yet."
        case nil: "None is shown: this session has no bus (DBUS_SESSION_BUS_ADDRESS) that leads to a desktop."
        }
    }

    func notify(_ notification: UserNotification) async throws {
        do {
            try await desktop.notify(notification)
            last.withLock { $0 = .shown }
        } catch {
            let why = (error as? BackgroundError)?.message ?? "\(error)"
            last.withLock { $0 = .failed(why) }
            throw error
        }
    }

    /// Returns whether there is a bus.
    ///
    /// A bus whose socket does not exist does not count. Whether any other bus works is known only after the first
    /// notification.
    private static func hasBus(_ environment: [String: String]) -> Bool {
        func isThere(_ path: Substring) -> Bool { FileManager.default.fileExists(atPath: String(path)) }
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty {
            // Addresses are separated by semicolons, and each may have options after a comma.
            return address.split(separator: ";").contains { one in
                guard one.hasPrefix("unix:path=") else { return true }
                return isThere(one.dropFirst("unix:path=".count).prefix { $0 != "," })
            }
        }
        guard let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty else { return false }
        return isThere("\(folder)/bus")
    }
}
