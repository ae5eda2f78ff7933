import ApusTesting
import ApusTimers

/// A line of the device's log, as it is sent to the page.
struct LogLine: Codable, Sendable, Hashable {
    var n: Int
    var at: String
    var uptime: Double
    var actor: String
    var kind: String
    var text: String

    init(_ event: DeviceEvent, number: Int) {
        n = number
        at = event.wall.iso8601
        uptime = Double(event.uptime.nanoseconds) / 1e9
        actor = event.actor.rawValue
        kind = event.what.kind
        text = event.what.description
    }
}

/// A page of the log; `next` is the value of `after` that requests the following page.
struct LogPage: Codable, Sendable, Hashable {
    var events: [LogLine]
    var next: Int
}

extension DeviceEvent.What {
    /// The name of the case.
    fileprivate var kind: String {
        switch self {
        case .control: "control"
        case .launched: "launched"
        case .phase: "phase"
        case .terminated: "terminated"
        case .backgroundTaskBegan: "backgroundTaskBegan"
        case .backgroundTaskEnded: "backgroundTaskEnded"
        case .backgroundTaskRefused: "backgroundTaskRefused"
        case .backgroundTasksExpired: "backgroundTasksExpired"
        case .notificationScheduled: "notificationScheduled"
        case .notificationDropped: "notificationDropped"
        case .notificationDelivered: "notificationDelivered"
        case .audio: "audio"
        case .location: "location"
        case .push: "push"
        case .transfer: "transfer"
        case .part: "part"
        case .job: "job"
        case .warning: "warning"
        case .fault: "fault"
        case .note, .printed: "note"
        }
    }
}
