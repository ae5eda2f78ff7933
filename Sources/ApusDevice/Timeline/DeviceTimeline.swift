import ApusBackground
public import ApusTimers

/// A device's log as lanes of spans and marks: what the app did, what each background job waited for, and what ended
/// early.
///
/// ```swift
/// try DeviceTimeline(device.log).html.write(to: url, atomically: true, encoding: .utf8)
/// ```
///
/// ``html`` is a page without dependencies, with a table of what the jobs have waited for; ``chromeTrace`` is for trace
/// viewers, as Perfetto (ui.perfetto.dev) and `chrome://tracing`.
///
/// Positions are times since the first event: they increase when the wall clock is set, and while the device sleeps.
public struct DeviceTimeline: Sendable, Hashable {
    /// The meaning of a span or a mark, which decides its colour.
    public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
        /// The app is in front.
        case active
        /// The app is in front, and something covers it.
        case inactive
        /// The app runs in the background.
        case background
        /// The app is in memory and does not run.
        case suspended
        /// A job waits.
        case waiting
        /// A job or a background task runs.
        case running
        /// Something of the app was ended before it was done.
        case failed
        /// Something that happened at one instant.
        case event
        /// A warning.
        case warning
        /// A fault.
        case fault
    }

    /// Something that lasted.
    public struct Span: Sendable, Hashable, Codable {
        /// When it began, since the first event.
        public var start: Duration
        /// When it ended; the end of the log if it had not ended.
        public var end: Duration
        /// The text.
        public var label: String
        /// Its colour.
        public var kind: Kind

        /// How long it lasted.
        public var duration: Duration { end - start }
    }

    /// Something that happened at one instant.
    public struct Mark: Sendable, Hashable, Codable {
        /// When, since the first event.
        public var position: Duration
        /// The text.
        public var label: String
        /// Its colour.
        public var kind: Kind
    }

    /// A row.
    public struct Lane: Sendable, Hashable, Codable {
        /// The title.
        public var name: String
        /// The spans, in the order of their beginning.
        public internal(set) var spans: [Span] = []
        /// The marks, in order.
        public internal(set) var marks: [Mark] = []
    }

    /// How long a job has waited for one reason, or for several at a time.
    public struct Wait: Sendable, Hashable {
        /// The job's identifier, or that of its row.
        public let identifier: String
        /// The reasons, as the log names them.
        public let reason: String
        /// For how long, all together.
        public let duration: Duration
    }

    /// The wall clock at the first event.
    public let start: WallInstant
    /// From the first event to the last.
    public let duration: Duration
    /// The rows: the user, the app, background tasks, each background job, each part of the device, problems. Those
    /// without anything in them are left out. Jobs whose identifiers differ only in a last part with digits have one
    /// row: `export.*`.
    public let lanes: [Lane]
    /// The waits of the jobs, the longest wait of each job first.
    public let waits: [Wait]

    /// The timeline of a log.
    ///
    /// - Parameter log: The device's, ``SimulatedDevice/log``.
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
