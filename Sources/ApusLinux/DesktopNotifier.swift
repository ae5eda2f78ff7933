public import ApusBackground
import ApusTimers
import CApus
import Dispatch
import PlatformC

/// A notifier that shows notifications through the desktop's service, `org.freedesktop.Notifications` on the session
/// bus.
///
/// libdbus is loaded when the first notification is shown, so everything else works on a machine without it.
public struct DesktopNotifier: Notifier {
    private let appName: String
    private let address: String?
    private let timeout: Duration

    /// Creates a notifier for the user's session.
    ///
    /// - Parameters:
    ///   - appName: The name that desktops show beside the notification.
    ///   - address: The address of the bus; `nil` for the session bus, from `DBUS_SESSION_BUS_ADDRESS` or
    ///     `$XDG_RUNTIME_DIR/bus`.
    ///   - timeout: The longest wait for each of the two replies: that of the bus when the connection begins, and that
    ///     of the service to the notification.
    public init(appName: String = "Apus", address: String? = nil, timeout: Duration = .seconds(3)) {
        self.appName = appName
        self.address = address
        self.timeout = timeout
    }

    /// Shows `notification`, and returns when the service has accepted it.
    ///
    /// - Throws: `BackgroundError` with the code `notifierUnavailable` if there is no libdbus, no bus or no service on
    ///   the bus, and `notificationRefused` if the service responds with an error, or not in time.
    public func notify(_ notification: UserNotification) async throws {
        guard let address = address ?? Self.sessionBus() else {
            throw BackgroundError(
                code: .notifierUnavailable,
                message:
                    "there is no session bus: DBUS_SESSION_BUS_ADDRESS is not set, and XDG_RUNTIME_DIR has no bus")
        }
        let error = await withCheckedContinuation { continuation in
            // The call blocks, so it must not run on a thread of Swift's pool.
            Self.queue.async {
                continuation.resume(returning: show(notification, address))
            }
        }
        if let error { throw error }
    }

    /// The queue of the calls; it is serial, because libdispatch watches the threads of concurrent queues with a
    /// permanent timer of one second.
    private static let queue = DispatchQueue(label: "apus.linux.notifications")

    private func show(_ notification: UserNotification, _ address: String) -> BackgroundError? {
        let milliseconds = Int32(clamping: max(1, timeout.wholeNanoseconds / 1_000_000))
        var identifier: UInt32 = 0
        var text = [CChar](repeating: 0, count: 512)
        let result = capus_notify(
            address, appName, notification.title, notification.body, milliseconds, &identifier, &text, text.count)
        let reason = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return switch result {
        case CAPUS_NOTIFY_SHOWN: nil
        case CAPUS_NOTIFY_NO_LIBRARY:
            BackgroundError(
                code: .notifierUnavailable, message: "\(reason); on Debian it is in the package libdbus-1-3")
        case CAPUS_NOTIFY_NO_BUS:
            BackgroundError(code: .notifierUnavailable, message: "the bus at \(address) cannot be used: \(reason)")
        case CAPUS_NOTIFY_NO_SERVICE:
            BackgroundError(
                code: .notifierUnavailable, message: "no notification service runs in this session: \(reason)")
        default:
            BackgroundError(
                code: .notificationRefused, message: "the notification service refused the notification: \(reason)")
        }
    }

    /// Returns the address of the user's session bus; `nil` if there is none.
    ///
    /// libdbus itself would try to start a bus through X11, which a daemon must not do.
    private static func sessionBus() -> String? {
        if let address = getenv("DBUS_SESSION_BUS_ADDRESS").map({ String(cString: $0) }), !address.isEmpty {
            return address
        }
        guard let directory = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), !directory.isEmpty else {
            return nil
        }
        let path = directory + "/bus"
        return access(path, F_OK) == 0 ? "unix:path=\(path)" : nil
    }
}
