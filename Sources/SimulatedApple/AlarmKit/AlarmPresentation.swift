/// A button of an alarm.
///
/// Source: Apple, documentation/alarmkit/alarmbutton.
public struct AlarmButton: Hashable, Sendable {
    /// The text.
    public var text: LocalizedStringResource
    /// The color of the text.
    public var textColor: Color
    /// The name of the image, which is not drawn.
    public var systemImageName: String

    /// Creates a button.
    public init(text: LocalizedStringResource, textColor: Color, systemImageName: String) {
        (self.text, self.textColor, self.systemImageName) = (text, textColor, systemImageName)
    }
}

/// The texts and buttons of an alarm.
///
/// Source: Apple, documentation/alarmkit/alarmpresentation.
public struct AlarmPresentation: Hashable, Sendable {
    /// The presentation of the alert.
    public var alert: Alert
    /// The presentation of the countdown.
    public var countdown: Countdown?
    /// The presentation of a paused countdown.
    public var paused: Paused?

    /// Creates a presentation.
    public init(alert: Alert, countdown: Countdown? = nil, paused: Paused? = nil) {
        (self.alert, self.countdown, self.paused) = (alert, countdown, paused)
    }

    /// The texts and buttons of an alert, which always has a button that stops it.
    public struct Alert: Hashable, Sendable {
        /// The effect of the second button.
        public enum SecondaryButtonBehavior: Hashable, Sendable {
            /// The app's `secondaryIntent` is run.
            case custom
            /// The alarm counts down to another alert.
            case countdown
        }

        /// The title.
        public var title: LocalizedStringResource
        /// The second button.
        public var secondaryButton: AlarmButton?
        /// The effect of the second button.
        public var secondaryButtonBehavior: SecondaryButtonBehavior?

        /// Creates an alert; AlarmKit has this initializer from iOS 26.1 on.
        public init(
            title: LocalizedStringResource, secondaryButton: AlarmButton? = nil,
            secondaryButtonBehavior: SecondaryButtonBehavior? = nil
        ) {
            self.title = title
            (self.secondaryButton, self.secondaryButtonBehavior) = (secondaryButton, secondaryButtonBehavior)
        }

        /// Creates an alert with the app's own button that stops it.
        @available(*, deprecated, message: "from iOS 26.1 on the button that stops the alert is the system's")
        public init(
            title: LocalizedStringResource, stopButton: AlarmButton, secondaryButton: AlarmButton? = nil,
            secondaryButtonBehavior: SecondaryButtonBehavior? = nil
        ) {
            self.init(
                title: title, secondaryButton: secondaryButton, secondaryButtonBehavior: secondaryButtonBehavior)
        }
    }

    /// The texts and buttons of a countdown.
    public struct Countdown: Hashable, Sendable {
        /// The title.
        public var title: LocalizedStringResource
        /// The button that pauses the countdown.
        public var pauseButton: AlarmButton?

        /// Creates a presentation.
        public init(title: LocalizedStringResource, pauseButton: AlarmButton? = nil) {
            (self.title, self.pauseButton) = (title, pauseButton)
        }
    }

    /// The texts and buttons of a paused countdown.
    public struct Paused: Hashable, Sendable {
        /// The title.
        public var title: LocalizedStringResource
        /// The button that resumes the countdown.
        public var resumeButton: AlarmButton

        /// Creates a presentation.
        public init(title: LocalizedStringResource, resumeButton: AlarmButton) {
            (self.title, self.resumeButton) = (title, resumeButton)
        }
    }
}

/// The data that the app attaches to an alarm.
public protocol AlarmMetadata: Hashable, Codable, Sendable {}

/// The presentation of an alarm, and the data that the app attaches to it.
///
/// Source: Apple, documentation/alarmkit/alarmattributes.
public struct AlarmAttributes<Metadata: AlarmMetadata>: Hashable, Sendable {
    /// The texts and buttons.
    public var presentation: AlarmPresentation
    /// The app's own data.
    public var metadata: Metadata?
    /// The color of the alarm.
    public var tintColor: Color

    /// Creates attributes.
    public init(presentation: AlarmPresentation, metadata: Metadata? = nil, tintColor: Color) {
        (self.presentation, self.metadata, self.tintColor) = (presentation, metadata, tintColor)
    }
}
