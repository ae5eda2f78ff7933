public import ApusDevice
import ApusTimers
import ApusVirtualTime
public import SimulatedAppleCore

/// A control with wheels for a date, a time or a duration.
///
/// To set a value sends no event. A test turns it with `SimulatedPhone.turnPicker`.
///
/// Rules: Apple, documentation/uikit/uidatepicker.
@preconcurrency @MainActor
open class UIDatePicker: UIControl {
    /// What is picked.
    public enum Mode: Int, Sendable {
        /// A time of day.
        case time = 0
        /// A day.
        case date = 1
        /// Both; the default.
        case dateAndTime = 2
        /// A duration in hours and minutes. The picker does not count.
        case countDownTimer = 3
    }

    /// What it looks like.
    public enum Style: Int, Sendable {
        /// As suits the phone.
        case automatic = 0
        /// Wheels.
        case wheels = 1
        /// A button that opens a calendar.
        case compact = 2
        /// A calendar.
        case inline = 3
    }

    /// What is picked.
    open var datePickerMode = Mode.dateAndTime
    /// What it looks like. Without effect here.
    open var preferredDatePickerStyle = Style.automatic
    /// The earliest date. It has no effect after ``maximumDate``.
    open var minimumDate: Date?
    /// The latest date. It has no effect before ``minimumDate``.
    open var maximumDate: Date?
    /// Minutes from one choice to the next: a divisor of 60. Another number leaves it as it is.
    open var minuteInterval: Int {
        get { interval }
        set { if (1...30).contains(newValue), 60.isMultiple(of: newValue) { interval = newValue } }
    }

    private lazy var picked = SimulatedPhone.date(of: SimulatedPhone.process.host.engine.time.wall())
    private var seconds: TimeInterval = 0
    private var interval = 1

    /// The date, held between ``minimumDate`` and ``maximumDate``. At first, now.
    open var date: Date {
        get { held(picked) }
        set { picked = newValue }
    }

    /// Sets the date. Nothing is animated here.
    open func setDate(_ date: Date, animated: Bool) { self.date = date }

    /// The duration in seconds, in the mode `countDownTimer`: at most 23 h 59 min, in whole choices of
    /// ``minuteInterval``. It is 0 at first, and in other modes.
    open var countDownDuration: TimeInterval {
        get { datePickerMode == .countDownTimer ? seconds : 0 }
        set {
            guard datePickerMode == .countDownTimer else { return }
            let choice = TimeInterval(interval) * 60
            seconds = (min(max(0, newValue), 86_399) / choice).rounded(.down) * choice
        }
    }

    private func held(_ date: Date) -> Date {
        if let minimumDate, let maximumDate, minimumDate > maximumDate { return date }
        return min(max(date, minimumDate ?? date), maximumDate ?? .distantFuture)
    }

    /// A picker's primary event is a new value.
    override open func sendActions(for controlEvents: Event) {
        super.sendActions(
            for: controlEvents.contains(.valueChanged) ? controlEvents.union(.primaryActionTriggered) : controlEvents)
    }
}

extension SimulatedPhone {
    /// The user turns a date picker, which takes the date as if it had been set, and sends its events.
    ///
    /// It is done on the app's main thread, in a process of the app's own too.
    ///
    /// - Parameters:
    ///   - identifier: The picker's `accessibilityIdentifier`; `nil` is the picker in front.
    ///   - date: The date. For an app in its own process it is one of the device's clock.
    ///   - device: The device.
    /// - Throws: ``SimulatedAppleCore/ScreenError`` when there is no such picker for a date.
    public static func turnPicker(
        _ identifier: String? = nil, to date: Date, on device: SimulatedDevice
    ) throws(ScreenError) { try turn(identifier, to: .date(date), on: device) }

    /// The user turns a picker in the mode `countDownTimer`, which takes the duration as if it had been set, and sends its
    /// events.
    ///
    /// - Parameters:
    ///   - identifier: The picker's `accessibilityIdentifier`; `nil` is the picker in front.
    ///   - duration: The duration.
    ///   - device: The device.
    /// - Throws: ``SimulatedAppleCore/ScreenError`` when there is no such picker for a duration.
    public static func turnPicker(
        _ identifier: String? = nil, to duration: Duration, on device: SimulatedDevice
    ) throws(ScreenError) { try turn(identifier, to: .duration(duration.inSeconds), on: device) }
}

extension UIDatePicker {
    /// The user turns it. False when it does not pick that.
    func turn(to choice: PickerChoice) -> Bool {
        switch (choice, datePickerMode) {
        case (.date(let date), .time), (.date(let date), .date), (.date(let date), .dateAndTime): self.date = date
        case (.duration(let seconds), .countDownTimer): countDownDuration = seconds
        case (.date, .countDownTimer), (.duration, _): return false
        }
        sendActions(for: .valueChanged)
        return true
    }
}
