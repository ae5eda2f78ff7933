import ApusBackground
import ApusTimers

/// The conversion of the events of a log into the lanes of a timeline.
struct TimelineBuilder {
    typealias Kind = DeviceTimeline.Kind

    /// A span without an end.
    private struct Open {
        let start: Duration
        let label: String
        let kind: Kind
    }

    /// The names of the lanes before and after those of the jobs.
    private enum Name {
        static let user = "user"
        static let app = "app"
        static let tasks = "background tasks"
        static let notifications = "notifications"
        static let audio = "audio"
        static let location = "location"
        static let pushes = "pushes"
        static let transfers = "transfers"
        static let problems = "warnings and faults"
        static let first = [user, app, tasks]
        static let parts = [notifications, audio, location, pushes, transfers]
    }

    private(set) var now = Duration.zero
    private var last: DeviceEvent?
    private var table: [String: DeviceTimeline.Lane] = [:]
    /// The rows of the jobs, in the order of their first events.
    private var jobs: [String] = []
    /// The names of the parts of the device that are not in `Name.parts`, in the order of their first events.
    private var otherParts: [String] = []
    private var phase: Open?
    private var tasks: [Open] = []
    private var jobSpans: [String: Open] = [:]
    /// The running jobs that were submitted again.
    private var askedAgain: Set<String> = []
    /// The time that the jobs of a row have waited, by reason.
    private var waited: [String: [String: Duration]] = [:]

    /// The lanes that are not empty, in their order.
    var lanes: [DeviceTimeline.Lane] {
        (Name.first + jobs.map { Self.lane(of: $0) } + Name.parts + otherParts + [Name.problems]).compactMap {
            table[$0]
        }
    }

    /// The waits of the jobs, by reason.
    var waits: [DeviceTimeline.Wait] {
        jobs.flatMap { row in
            (waited[row] ?? [:]).filter { $0.value > .zero }
                .map { DeviceTimeline.Wait(identifier: row, reason: $0.key, duration: $0.value) }
                .sorted { ($1.duration, $0.reason) < ($0.duration, $1.reason) }
        }
    }

    private static func lane(of row: String) -> String { "job \(row)" }

    /// Returns the row of a job.
    ///
    /// Jobs whose identifiers differ only in a last component with digits share a row. For example, an app may submit
    /// an export for each document.
    private static func row(of identifier: String) -> String {
        guard let dot = identifier.lastIndex(of: "."), identifier[dot...].contains(where: \.isNumber) else {
            return identifier
        }
        return identifier[...dot] + "*"
    }

    /// Returns the text of a span or mark, with the job's identifier if several jobs share the row.
    private static func label(_ text: String, of identifier: String) -> String {
        row(of: identifier) == identifier ? text : "\(identifier): \(text)"
    }

    // MARK: Events

    mutating func add(_ event: DeviceEvent) {
        if let last { now += Self.time(from: last, to: event) }
        last = event
        switch event.what {
        case .control(let name): mark(Name.user, name, .event)
        case .launched(let why):
            mark(Name.app, "launched: \(why)", .event)
            changePhase(to: nil)
        case .phase(let phase): changePhase(to: phase)
        case .terminated(let why): endProcess(why)
        case .backgroundTaskBegan(let name): tasks.append(Open(start: now, label: name, kind: .running))
        case .backgroundTaskEnded(let name): endTask(name)
        case .backgroundTaskRefused(let name): mark(Name.tasks, "refused: \(name)", .warning)
        case .backgroundTasksExpired(let count): mark(Name.tasks, "expired: \(count)", .warning)
        case .notificationScheduled, .notificationDropped: mark(Name.notifications, "\(event.what)", .event)
        case .notificationDelivered(let identifier): mark(Name.notifications, "delivered: \(identifier)", .running)
        case .audio(let text): mark(Name.audio, text, .event)
        case .location(let text): mark(Name.location, text, .event)
        case .push(let text): mark(Name.pushes, text, .event)
        case .transfer(let text): mark(Name.transfers, text, .event)
        case .part(let name, let text):
            if !(otherParts + Name.parts).contains(name) { otherParts.append(name) }
            mark(name, text, .event)
        case .job(let job): add(job)
        case .warning(let text): mark(Name.problems, text, .warning)
        case .fault(let fault): mark(Name.problems, "\(fault)", .fault)
        case .note, .printed: break
        }
    }

    /// Closes the open spans at the end of the log.
    mutating func finish() {
        changePhase(to: nil)
        for task in tasks { close(task, in: Name.tasks) }
        tasks = []
        for identifier in jobSpans.keys.sorted() { endJob(identifier) }
    }

    /// Returns the time between two events.
    ///
    /// It is read from the wall clock, because that clock also advances while the device sleeps and restarts. If the
    /// first event sets the wall clock, the time is read from the uptime clock instead.
    private static func time(from first: DeviceEvent, to second: DeviceEvent) -> Duration {
        if case .control(let name) = first.what, name.contains("wall clock"), second.uptime >= first.uptime {
            return first.uptime.duration(to: second.uptime)
        }
        return max(.zero, first.wall.duration(to: second.wall))
    }

    private mutating func changePhase(to new: Phase?) {
        if let phase { close(phase, in: Name.app) }
        phase = new.flatMap { phase in
            let kind: Kind? =
                switch phase {
                case .active: .active
                case .inactive: .inactive
                case .background: .background
                case .suspended: .suspended
                case .terminated: nil
                }
            return kind.map { Open(start: now, label: phase.rawValue, kind: $0) }
        }
    }

    private mutating func endProcess(_ why: String) {
        changePhase(to: nil)
        mark(Name.app, "ended: \(why)", .failed)
        for task in tasks { close(task, in: Name.tasks, as: .failed) }
        tasks = []
    }

    private mutating func endTask(_ name: String) {
        guard let index = tasks.firstIndex(where: { $0.label == name }) else { return }
        close(tasks.remove(at: index), in: Name.tasks)
    }

    private mutating func add(_ job: BackgroundJobEvent) {
        let identifier = job.identifier
        if !jobs.contains(Self.row(of: identifier)) { jobs.append(Self.row(of: identifier)) }
        let isRunning = jobSpans[identifier]?.kind == .running
        switch job.what {
        case .submitted:
            if isRunning { askedAgain.insert(identifier) } else { beginWaiting(identifier) }
            markJob(identifier, "submitted", .event)
        case .replaced: break
        case .deferred(let reasons): beginJob(identifier, reasons.joined(separator: ", "), .waiting)
        case .launched: beginJob(identifier, "runs", .running)
        case .refused(let code): markJob(identifier, "refused: \(code)", .warning)
        case .expired: markJob(identifier, "expired", .warning)
        case .completed(let success):
            endRun(identifier, as: success ? nil : .failed)
            markJob(identifier, success ? "completed" : "completed: failure", success ? .event : .failed)
        case .ended(let why):
            endRun(identifier, as: .failed)
            markJob(identifier, "ended: \(why)", .failed)
        case .cancelled:
            if isRunning { askedAgain.remove(identifier) } else { endJob(identifier) }
            markJob(identifier, "cancelled", .event)
        }
    }

    private mutating func beginWaiting(_ identifier: String) { beginJob(identifier, "for an opportunity", .waiting) }

    private mutating func endRun(_ identifier: String, as kind: Kind?) {
        endJob(identifier, as: kind)
        if askedAgain.remove(identifier) != nil { beginWaiting(identifier) }
    }

    private mutating func beginJob(_ identifier: String, _ label: String, _ kind: Kind) {
        endJob(identifier)
        jobSpans[identifier] = Open(start: now, label: label, kind: kind)
    }

    private mutating func endJob(_ identifier: String, as kind: Kind? = nil) {
        guard let span = jobSpans.removeValue(forKey: identifier) else { return }
        let row = Self.row(of: identifier)
        if span.kind == .waiting { waited[row, default: [:]][span.label, default: .zero] += now - span.start }
        let labelled = Open(start: span.start, label: Self.label(span.label, of: identifier), kind: span.kind)
        close(labelled, in: Self.lane(of: row), as: kind)
    }

    private mutating func markJob(_ identifier: String, _ text: String, _ kind: Kind) {
        mark(Self.lane(of: Self.row(of: identifier)), Self.label(text, of: identifier), kind)
    }

    // MARK: Lanes

    private mutating func close(_ open: Open, in lane: String, as kind: Kind? = nil) {
        let span = DeviceTimeline.Span(start: open.start, end: now, label: open.label, kind: kind ?? open.kind)
        table[lane, default: DeviceTimeline.Lane(name: lane)].spans.append(span)
    }

    private mutating func mark(_ lane: String, _ label: String, _ kind: Kind) {
        let mark = DeviceTimeline.Mark(position: now, label: label, kind: kind)
        table[lane, default: DeviceTimeline.Lane(name: lane)].marks.append(mark)
    }
}
