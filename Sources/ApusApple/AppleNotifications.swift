#if os(iOS) || os(visionOS) || os(Linux)
    public import ApusBackground
    import ApusTimers
    import Foundation
    import UserNotifications

    /// Apple's `UNUserNotificationCenter`, which keeps requests when the app is suspended or ended.
    ///
    /// All members may be used from any thread.
    ///
    /// - `.at` becomes a calendar trigger in UTC, which has whole seconds: the notification comes up to a second late,
    ///   and never early. It follows the wall clock. A notification whose instant has passed is shown at once.
    /// - `.after` becomes an interval trigger.
    /// - The system silently drops requests beyond the 64th; here such a request is an error, and nothing is dropped.
    ///   All of the app's requests count, including those that were made without this object.
    /// - The app itself must ask for the user's permission, with `UNUserNotificationCenter.requestAuthorization`. While
    ///   the app is in the foreground, the center's delegate decides whether a notification is shown; without a
    ///   delegate, none is shown.
    public final class AppleNotifications: NotificationScheduler {
        /// The number of requests that the system keeps.
        ///
        /// Apple documents it for the older `UILocalNotification`
        /// (developer.apple.com/documentation/uikit/uilocalnotification); tests by others found the same number for
        /// `UNUserNotificationCenter`.
        private static let pendingLimit = 64
        /// The key of the trigger in a notification's `userInfo`.
        private static let triggerKey = "apus.trigger"

        private struct State {
            /// The requests that are being added to the center, in the order of the calls.
            var underWay: [(number: Int, identifier: String)] = []
            var lastNumber = 0
        }

        private let time: any TimeSource
        private let dates: AppleDates
        private let state = Locked(State())

        /// Creates a scheduler for the center of the running app.
        ///
        /// - Parameter host: The host on whose wall clock the requests are due.
        public init(host: any BackgroundHost) {
            time = host.engine.time
            dates = AppleDates(time: time)
        }

        /// The notification center of the running app.
        ///
        /// It is read anew each time, because on Linux each process of the simulated phone has its own center.
        private var center: UNUserNotificationCenter { .current() }

        // MARK: Showing and scheduling

        /// Shows `notification` now, under a new identifier.
        ///
        /// - Throws: `BackgroundError` with the code `notificationRefused` when the user does not allow notifications,
        ///   or the center refuses this one.
        public func notify(_ notification: UserNotification) async throws {
            try await demandPermission()
            let number = state.withLock { state in
                state.lastNumber += 1
                return state.lastNumber
            }
            // The instant makes the identifier different from those of earlier processes.
            let identifier = "apus.notification.\(time.wall().nanoseconds).\(number)"
            try await add(Self.content(of: notification, userInfo: [:]), identifier, trigger: nil)
        }

        /// Keeps `request` until it is due, and replaces the pending request with the same identifier.
        ///
        /// See ``AppleNotifications`` for the triggers.
        ///
        /// - Throws: `BackgroundError` with the code `invalidArgument` for an interval that is not accepted,
        ///   `notificationRefused` when the user does not allow notifications or the center refuses the request, or
        ///   `tooManyNotifications` when the system keeps no more requests, and would drop one.
        public func schedule(_ request: NotificationRequest) async throws {
            try request.validate()
            try await demandPermission()
            let number = state.withLock { state in
                state.lastNumber += 1
                state.underWay.append((state.lastNumber, request.identifier))
                return state.lastNumber
            }
            defer { state.withLock { $0.underWay.removeAll { $0.number == number } } }
            try await demandRoom(for: request.identifier, number)
            let text = NotificationTriggerText.text(of: request.trigger, added: time.wall())
            try await add(
                Self.content(of: request.notification, userInfo: [Self.triggerKey: text]), request.identifier,
                trigger: trigger(for: request.trigger))
        }

        /// Asks the system to remove pending requests; unknown identifiers are no error.
        public func removePending(_ identifiers: [String]) async {
            center.removePendingNotificationRequests(withIdentifiers: identifiers)
        }

        // MARK: Reading

        /// Returns the pending requests that were made with this type, in this process or an earlier one, the earliest
        /// first.
        public func pending() async -> [NotificationRequest] { await pendingByInstant().map(\.request) }

        /// Returns the requests of ``pending()``, with the instants at which they are due.
        func pendingByInstant() async -> [(due: WallInstant, request: NotificationRequest)] {
            let now = time.wall()
            return await pendingEntries().compactMap { entry in
                entry.text.flatMap { NotificationTriggerText.trigger(in: $0, now: now) }.map { found in
                    (
                        due: found.due,
                        request: NotificationRequest(
                            identifier: entry.identifier, notification: entry.notification, trigger: found.trigger)
                    )
                }
            }.sorted { $0.due < $1.due }
        }

        /// Returns the identifiers of all of the app's notifications that were shown and not yet removed.
        public func delivered() async -> [String] {
            await withUnsafeContinuation { continuation in
                center.getDeliveredNotifications { notifications in
                    continuation.resume(returning: notifications.map(\.request.identifier))
                }
            }
        }

        // MARK: Private

        private struct Entry: Sendable {
            let identifier: String
            let notification: UserNotification
            let text: String?
        }

        private func pendingEntries() async -> [Entry] {
            await withUnsafeContinuation { continuation in
                center.getPendingNotificationRequests { requests in
                    continuation.resume(
                        returning: requests.map { request in
                            Entry(
                                identifier: request.identifier,
                                notification: UserNotification(
                                    title: request.content.title, body: request.content.body),
                                text: request.content.userInfo[Self.triggerKey] as? String)
                        })
                }
            }
        }

        /// Checks that the center has room for this request and for the earlier requests that are still being added.
        private func demandRoom(for identifier: String, _ number: Int) async throws(BackgroundError) {
            // The requests under way are read before the pending ones, so that a request that reaches the center in
            // between is counted at least once.
            let earlier = state.withLock { $0.underWay.filter { $0.number < number }.map(\.identifier) }
            let kept = Set(await pendingEntries().map(\.identifier))
            guard kept.union(earlier).union([identifier]).count > Self.pendingLimit else { return }
            throw BackgroundError(
                code: .tooManyNotifications,
                message:
                    "the notification center keeps \(Self.pendingLimit) pending requests, so “\(identifier)” was not added; "
                    + "remove some, or schedule the later ones when earlier ones were shown")
        }

        private func demandPermission() async throws(BackgroundError) {
            let isAllowed = await withUnsafeContinuation { continuation in
                center.getNotificationSettings { settings in
                    switch settings.authorizationStatus {
                    case .denied, .notDetermined: continuation.resume(returning: false)
                    // With any other status, such as provisional, notifications are shown, but may be quiet.
                    default: continuation.resume(returning: true)
                    }
                }
            }
            guard isAllowed else {
                throw BackgroundError(
                    code: .notificationRefused,
                    message:
                        "the user does not allow notifications; ask with UNUserNotificationCenter.requestAuthorization, or "
                        + "do without them")
            }
        }

        private static func content(
            of notification: UserNotification, userInfo: [String: String]
        ) -> UNMutableNotificationContent {
            let content = UNMutableNotificationContent()
            content.title = notification.title
            content.body = notification.body
            content.sound = .default
            content.userInfo = userInfo
            return content
        }

        /// Returns the system's form of a trigger; `nil` for a notification that is shown at once.
        private func trigger(for trigger: NotificationRequest.Trigger) -> UNNotificationTrigger? {
            switch trigger {
            case .at(let instant):
                guard instant > time.wall() else { return nil }
                var calendar = Calendar(identifier: .gregorian)
                calendar.timeZone = .gmt
                var components = calendar.dateComponents(
                    [.year, .month, .day, .hour, .minute, .second], from: dates.second(atOrAfter: instant))
                // Without a calendar and a zone, the system would use those of the user.
                components.calendar = calendar
                components.timeZone = .gmt
                return UNCalendarNotificationTrigger(dateMatching: components, repeats: false)
            case .after(let interval, let repeats):
                // The interval is rounded up, because the system raises an exception for an interval of zero.
                let seconds = Double(interval.clampedUp.wholeNanoseconds) / 1e9
                return UNTimeIntervalNotificationTrigger(timeInterval: seconds, repeats: repeats)
            }
        }

        private func add(
            _ content: UNMutableNotificationContent, _ identifier: String, trigger: UNNotificationTrigger?
        ) async throws(BackgroundError) {
            let request = UNNotificationRequest(identifier: identifier, content: content, trigger: trigger)
            let refusal = await withUnsafeContinuation { continuation in
                center.add(request) { error in continuation.resume(returning: error) }
            }
            if let refusal {
                throw BackgroundError(
                    code: .notificationRefused, message: "the notification center did not accept “\(identifier)”",
                    cause: refusal)
            }
        }
    }

    /// The text form of a request's trigger.
    ///
    /// The text is stored with the notification, because the system's own triggers have only whole seconds.
    enum NotificationTriggerText {
        /// Returns the text of a trigger; `added` is the instant at which the request is made and an interval begins.
        static func text(of trigger: NotificationRequest.Trigger, added: WallInstant) -> String {
            switch trigger {
            case .at(let instant): "at \(instant.nanoseconds)"
            case .after(let interval, let repeats):
                "\(repeats ? "every" : "after") \(interval.clampedUp.wholeNanoseconds) \(added.nanoseconds)"
            }
        }

        /// Returns the trigger and its next due instant; `nil` for a text that is not in this form.
        static func trigger(
            in text: String, now: WallInstant
        ) -> (trigger: NotificationRequest.Trigger, due: WallInstant)? {
            let words = text.split(separator: " ")
            switch (words.first, words.count) {
            case ("at", 2):
                guard let nanoseconds = UInt64(words[1]) else { return nil }
                let instant = WallInstant(nanoseconds: nanoseconds)
                return (.at(instant), instant)
            case ("after", 3), ("every", 3):
                guard let interval = Int64(words[1]), interval > 0, let nanoseconds = UInt64(words[2]) else {
                    return nil
                }
                let added = WallInstant(nanoseconds: nanoseconds)
                let repeats = words[0] == "every"
                // A repeating request is next due at the first multiple of the interval, counted from `added`, that is
                // still to come.
                let passed = now > added ? (now.nanoseconds - added.nanoseconds) / UInt64(interval) : 0
                let (ahead, overflow) = UInt64(interval).multipliedReportingOverflow(by: repeats ? passed + 1 : 1)
                let due = added.advanced(by: .nanoseconds(Int64(clamping: overflow ? .max : ahead)))
                return (.after(.nanoseconds(interval), repeats: repeats), due)
            default: return nil
            }
        }
    }
#endif
