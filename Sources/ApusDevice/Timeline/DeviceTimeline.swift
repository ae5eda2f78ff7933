import ApusBackground
public import ApusTimers

/// A device's log as lanes of spans and marks: the app's phases, the waits of background jobs, and what ended early.
///
/// ```swift
/// try DeviceTimeline(device.log).html.write(to: url, atomically: true, encoding: .utf8)
/// ```
///
/// ``html`` is a page without dependencies, with a table of the jobs' waits; ``chromeTrace`` is for trace viewers, such
/// as Perfetto (ui.perfetto.dev) and `chrome://tracing`.
///
/// Positions are times since the first event. They increase while the device sleeps, and are not affected when the wall
/// clock is set.
public struct DeviceTimeline: Sendable, Hashable {
    /// The meaning of a span or a mark, which determines its colour.
    public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
        /// The app is in the foreground.
        case active
        /// The app is in the foreground, and something covers it.
        case inactive
        /// The app runs in the background.
        case background
        /// The app is in memory and does not run.
        case suspended
        /// A job waits.
        case waiting
        /// A job or a background task runs.
        case running
        /// A process, a job or a background task failed, or was ended early.
        case failed
        /// An event without a duration.
        case event
        /// A warning.
        case warning
        /// A fault.
        case fault
    }

    /// An event or a state with a duration.
    public struct Span: Sendable, Hashable, Codable {
        /// The time from the first event of the log to the beginning of the span.
        public var start: Duration
        /// The time from the first event of the log to the end of the span, or to the end of the log if the span was
        /// still open then.
        public var end: Duration
        /// The text of the span.
        public var label: String
        /// The meaning of the span.
        public var kind: Kind

        /// The time between the beginning and the end.
        public var duration: Duration { end - start }
    }

    /// An event at one instant.
    public struct Mark: Sendable, Hashable, Codable {
        /// The time from the first event of the log to this event.
        public var position: Duration
        /// The text of the mark.
        public var label: String
        /// The meaning of the mark.
        public var kind: Kind
    }

    /// A row of the timeline.
    public struct Lane: Sendable, Hashable, Codable {
        /// The title of the lane.
        public var name: String
        /// The spans, in the order of their ends.
        public internal(set) var spans: [Span] = []
        /// The marks, in the order of their times.
        public internal(set) var marks: [Mark] = []
    }

    /// The total time that a job has waited for one reason, or for several reasons at the same time.
    public struct Wait: Sendable, Hashable {
        /// The job's identifier, or a pattern such as `export.*` if its last component has digits.
        ///
        /// See ``DeviceTimeline/lanes``.
        public let identifier: String
        /// The reasons, as the log names them.
        public let reason: String
        /// The total duration of these waits.
        public let duration: Duration
    }

    /// The wall clock at the first event.
    public let start: WallInstant
    /// The time from the first event to the last.
    public let duration: Duration
    /// The rows: the user, the app, background tasks, each background job, each part of the device, and problems.
    ///
    /// Rows without events are left out. Jobs whose identifiers differ only in a last component with digits share a
    /// row, such as `export.*`.
    public let lanes: [Lane]
    /// The waits of the jobs, the longest wait of each job first.
    public let waits: [Wait]

    /// Creates the timeline of a log.
    ///
    /// - Parameter log: The log of a device, ``SimulatedDevice/log``.
    public init(_ log: [DeviceEvent]) {
        var builder = TimelineBuilder()
        for event in log { builder.add(event) }
        builder.finish()
        start = log.first?.wall ?? WallInstant(secondsSince1970: 0)
        duration = builder.now
        lanes = builder.lanes
        waits = builder.waits
    }
}
