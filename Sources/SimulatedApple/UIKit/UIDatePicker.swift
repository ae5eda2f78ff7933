public import ApusDevice
import ApusTimers
import ApusVirtualTime
public import SimulatedAppleCore

/// A control for picking a date, a time or a duration.
///
/// Setting a value sends no event. A test turns the picker as the user does, with
/// `SimulatedPhone.turnPicker`.
///
/// Rules: Apple, documentation/uikit/uidatepicker.
@preconcurrency @MainActor
open class UIDatePicker: UIControl {
    /// The kind of value.
    public enum Mode: Int, Sendable {
        /// A time of day.
        case time = 0
        /// A day.
        case date = 1
        /// A day and a time; the default.
        case dateAndTime = 2
        /// A duration in hours and minutes; the picker itself does not count down.
        case countDownTimer = 3
    }

    /// The appearance of a picker.
    public enum Style: Int, Sendable {
        /// The appearance that suits the phone.
        case automatic = 0
        /// Wheels.
        case wheels = 1
        /// A button that opens a calendar.
        case compact = 2
        /// A calendar.
        case inline = 3
    }

    /// The kind of value.
    open var datePickerMode = Mode.dateAndTime
    /// The appearance, which has no effect here.
    open var preferredDatePickerStyle = Style.automatic
    /// The earliest date; ignored while it is later than ``maximumDate``.
    open var minimumDate: Date?
    /// The latest date; ignored while it is earlier than ``minimumDate``.
    open var maximumDate: Date?
    /// The minutes between two choices: a divisor of 60, from 1 to 30; other values are ignored.
    open var minuteInterval: Int {
        get { interval }
        set { if (1...30).contains(newValue), 60.isMultiple(of: newValue) { interval = newValue } }
    }

    private lazy var picked = SimulatedPhone.date(of: SimulatedPhone.process.host.engine.time.wall())
    private var seconds: TimeInterval = 0
    private var interval = 1

    /// The picked date, limited by ``minimumDate`` and ``maximumDate``.
    ///
    /// Until a date is picked or set, it is the device's time at which the property was first read.
    open var date: Date {
        get { held(picked) }
        set { picked = newValue }
    }

    /// Sets the date; the change is not animated here.
    open func setDate(_ date: Date, animated: Bool) { self.date = date }

    /// The picked duration in seconds, in the mode `countDownTimer`; 0 at first, and in other modes.
    ///
    /// It is at most 23 h 59 min, and rounded down to a multiple of ``minuteInterval``.
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

    /// Performs the actions for these events; a new value also triggers the picker's main event.
    override open func sendActions(for controlEvents: Event) {
        super.sendActions(
            for: controlEvents.contains(.valueChanged) ? controlEvents.union(.primaryActionTriggered) : controlEvents)
    }
}

extension SimulatedPhone {
    /// Turns a date picker as the user does: the picker takes the date, and sends its events.
    ///
    /// This happens on the app's main thread, even if the app has a process of its own.
    ///
    /// - Parameters:
    ///   - identifier: The picker's `accessibilityIdentifier`; `nil` for the first picker in front.
    ///   - date: The date. For an app in a process of its own, it is a date of the device's clock.
    ///   - device: The device.
    /// - Throws: ``SimulatedAppleCore/ScreenError`` if no enabled picker with this identifier picks dates.
    public static func turnPicker(
        _ identifier: String? = nil, to date: Date, on device: SimulatedDevice
    ) throws(ScreenError) { try turn(identifier, to: .date(date), on: device) }

    /// Turns a picker in the mode `countDownTimer` as the user does: the picker takes the duration, and sends its
    /// events.
    ///
    /// - Parameters:
    ///   - identifier: The picker's `accessibilityIdentifier`; `nil` for the first picker in front.
    ///   - duration: The duration.
    ///   - device: The device.
    /// - Throws: ``SimulatedAppleCore/ScreenError`` if no enabled picker with this identifier picks durations.
    public static func turnPicker(
        _ identifier: String? = nil, to duration: Duration, on device: SimulatedDevice
    ) throws(ScreenError) { try turn(identifier, to: .duration(duration.inSeconds), on: device) }
}

extension UIDatePicker {
    /// Turns the picker as the user does; returns `false` if the picker does not pick this kind of value.
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
