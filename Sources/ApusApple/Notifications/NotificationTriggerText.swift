import ApusBackground
import ApusTimers

/// A request's trigger as text that the system keeps with the notification, because its own triggers have seconds only.
enum NotificationTriggerText {
    /// `added` is when the request is made: an interval runs from then.
    static func text(of trigger: NotificationRequest.Trigger, added: WallInstant) -> String {
        switch trigger {
        case .at(let instant): "at \(instant.nanoseconds)"
        case .after(let interval, let repeats):
            "\(repeats ? "every" : "after") \(interval.wholeNanoseconds) \(added.nanoseconds)"
        }
    }

    /// The trigger, and when it is due next; `nil` for a text that is not one of these.
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
            guard let interval = Int64(words[1]), interval > 0, let nanoseconds = UInt64(words[2]) else { return nil }
            let added = WallInstant(nanoseconds: nanoseconds)
            let repeats = words[0] == "every"
            // The first multiple of the interval that is still to come.
            let passed = now > added ? (now.nanoseconds - added.nanoseconds) / UInt64(interval) : 0
            let (ahead, overflow) = UInt64(interval).multipliedReportingOverflow(by: repeats ? passed + 1 : 1)
            let due = added.advanced(by: .nanoseconds(Int64(clamping: overflow ? .max : ahead)))
            return (.after(.nanoseconds(interval), repeats: repeats), due)
        default: return nil
        }
    }
}
