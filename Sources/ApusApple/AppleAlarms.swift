#if os(iOS) || os(visionOS) || os(Linux)
    public import ApusBackground
    import ApusTimers
    import Foundation
    import Logging
    #if canImport(AlarmKit)
        import AlarmKit
    #endif
    #if canImport(AlarmKit) && canImport(SwiftUI)
        import SwiftUI
    #endif

    /// Alerts the user with an alarm where AlarmKit is available (iOS 26.1 and later), and with a notification
    /// elsewhere.
    ///
    /// An alarm outlives a force quit and a restart of the device, and sounds in silent mode and in every Focus. A
    /// countdown uses alarms if it has this object as its `notificationScheduler`:
    ///
    /// ```swift
    /// let tea = try Countdown(
    ///     host: host, store: store, key: "tea", notification: UserNotification(title: "Tea is ready"),
    ///     notificationScheduler: AppleAlarms(host: host))
    /// ```
    ///
    /// - A request with `.at` and a future instant becomes an alarm with the title of the notification. Every other
    ///   request becomes a notification, as with ``AppleNotifications``.
    /// - The first alarm asks the user for the permission, for which the app declares `NSAlarmKitUsageDescription`. If
    ///   the user refuses, or the system does not accept the alarm, the request becomes a notification.
    /// - Only the user stops an alarm that alerts; ``removePending(_:)`` removes only alarms that have not alerted.
    /// - AlarmKit keeps no text, so ``pending()`` and ``delivered()`` return the alarms of this process only.
    ///
    /// All members may be used from any thread.
    public final class AppleAlarms: NotificationScheduler {
        private let notifications: AppleNotifications
        private let time: any TimeSource
        private let dates: AppleDates
        private let logger = Logger(label: "apus.apple")
        /// The requests of this process that became alarms, by their identifiers.
        private let requests = Locked<[String: NotificationRequest]>([:])

        /// Creates a scheduler for the alarms and the notifications of the running app.
        ///
        /// - Parameter host: The host on whose wall clock the requests are due.
        public init(host: any BackgroundHost) {
            notifications = AppleNotifications(host: host)
            time = host.engine.time
            dates = AppleDates(time: time)
        }

        /// Shows `notification` now; it is never an alarm.
        ///
        /// - Throws: `BackgroundError`, as ``AppleNotifications/notify(_:)`` does.
        public func notify(_ notification: UserNotification) async throws {
            try await notifications.notify(notification)
        }

        /// Keeps `request` until it is due, and replaces the alarm or the pending notification with the same
        /// identifier.
        ///
        /// - Throws: `BackgroundError`, as ``AppleNotifications/schedule(_:)`` does, for a request that does not become
        ///   an alarm.
        public func schedule(_ request: NotificationRequest) async throws {
            if await becomesAlarm(request) { return await notifications.removePending([request.identifier]) }
            try await notifications.schedule(request)
        }

        /// Removes alarms that have not alerted, and pending notifications; unknown identifiers are no error.
        public func removePending(_ identifiers: [String]) async {
            for identifier in identifiers { cancelAlarm(identifier) }
            await notifications.removePending(identifiers)
        }

        /// Returns the pending notifications, and the alarms of this process that have not alerted, the earliest first.
        public func pending() async -> [NotificationRequest] {
            let alarms = waiting(alerting: false).compactMap { request in
                if case .at(let instant) = request.trigger { (due: instant, request: request) } else { nil }
            }
            return await (notifications.pendingByInstant() + alarms).sorted { $0.due < $1.due }.map(\.request)
        }

        /// Returns the identifiers of the notifications that were shown and not yet removed, and of the alarms of this
        /// process that alert.
        public func delivered() async -> [String] {
            let alarms = waiting(alerting: true).map(\.identifier)
            return await notifications.delivered() + alarms
        }

        // MARK: Alarms

        private func becomesAlarm(_ request: NotificationRequest) async -> Bool {
            #if canImport(AlarmKit)
                if #available(iOS 26.1, macCatalyst 26.1, *) {
                    cancelAlarm(request.identifier)
                    guard case .at(let instant) = request.trigger, instant > time.wall() else { return false }
                    do {
                        try await scheduleAlarm(request, at: instant)
                        requests.withLock { $0[request.identifier] = request }
                        return true
                    } catch {
                        logger.warning(
                            "an alarm was not scheduled, and is a notification instead",
                            metadata: ["identifier": "\(request.identifier)", "error": "\(error)"])
                    }
                }
            #endif
            return false
        }

        /// Deletes the alarm of `identifier`, if there is one that has not alerted.
        private func cancelAlarm(_ identifier: String) {
            #if canImport(AlarmKit)
                guard #available(iOS 26.1, macCatalyst 26.1, *) else { return }
                _ = requests.withLock { $0.removeValue(forKey: identifier) }
                let id = UUID(hashing: identifier)
                guard states[id].map({ $0 != .alerting }) == true else { return }
                try? AlarmManager.shared.cancel(id: id)
            #endif
        }

        /// Returns the requests of this process whose alarms alert now, or, if `alerting` is false, those whose alarms
        /// have not alerted yet.
        private func waiting(alerting: Bool) -> [NotificationRequest] {
            #if canImport(AlarmKit)
                if #available(iOS 26.1, macCatalyst 26.1, *) {
                    let states = states
                    return requests.withLock { Array($0.values) }.filter { request in
                        states[UUID(hashing: request.identifier)].map { ($0 == .alerting) == alerting } ?? false
                    }.sorted { $0.identifier < $1.identifier }
                }
            #endif
            return []
        }

        #if canImport(AlarmKit)
            @available(iOS 26.1, macCatalyst 26.1, *)
            private struct NoMetadata: AlarmMetadata {}

            @available(iOS 26.1, macCatalyst 26.1, *)
            private var states: [UUID: Alarm.State] {
                let alarms = (try? AlarmManager.shared.alarms) ?? []
                return Dictionary(alarms.map { ($0.id, $0.state) }) { first, _ in first }
            }

            @available(iOS 26.1, macCatalyst 26.1, *)
            private func scheduleAlarm(_ request: NotificationRequest, at instant: WallInstant) async throws {
                let title = LocalizedStringResource(stringLiteral: request.notification.title)
                let attributes = AlarmAttributes(
                    presentation: AlarmPresentation(alert: AlarmPresentation.Alert(title: title)),
                    metadata: NoMetadata(), tintColor: Color.accentColor)
                let configuration = AlarmManager.AlarmConfiguration<NoMetadata>(
                    countdownDuration: nil, schedule: .fixed(dates.date(of: instant)), attributes: attributes,
                    sound: .default)
                _ = try await AlarmManager.shared.schedule(
                    id: UUID(hashing: request.identifier), configuration: configuration)
            }
        #endif
    }

    extension UUID {
        /// Creates an identifier (version 8 of RFC 9562) from the FNV-1a hash of a text.
        ///
        /// The same text has the same identifier in each process.
        fileprivate init(hashing text: String) {
            let hash = text.utf8.reduce(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d as UInt128) {
                ($0 ^ UInt128($1)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b
            }
            var bytes = withUnsafeBytes(of: hash.bigEndian) { Array($0) }
            bytes[6] = bytes[6] & 0x0f | 0x80
            bytes[8] = bytes[8] & 0x3f | 0x80
            self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        }
    }
#endif
