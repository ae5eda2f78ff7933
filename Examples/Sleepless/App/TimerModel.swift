public import ApusBackground
import ApusJobs
import ApusTimers

/// The screen "Timer": timers whose work goes on for a while after Home. It shows ``BackgroundTimer``.
@MainActor
public final class TimerModel: BackgroundTimerDelegate {
    private struct Row {
        let id: Int
        let delay: Double
        let interval: Duration?
        var count = 0
        let timer: BackgroundTimer.ID
    }

    /// The accepted delays, in seconds.
    public static let delays = 0...86_400.0
    /// The accepted intervals, in seconds.
    public static let intervals = 0.1...86_400.0

    private static let rowLimit = 100
    private static let endedLimit = 20

    private let host: any BackgroundHost
    private let changed: ChangeSignal
    private lazy var timers = BackgroundTimer(host: host, name: "timers", delegate: self)
    private var rows: [Row] = []
    private var ended: [TimerSnapshot.Ended] = []
    private var vibrations = 0
    private var lastID = 0

    init(host: any BackgroundHost, changed: ChangeSignal) {
        self.host = host
        self.changed = changed
    }

    /// Starts a timer.
    ///
    /// - Parameters:
    ///   - delay: Seconds until it runs, from 0 to a day.
    ///   - interval: Seconds between further runs, from 0.1 to a day; `nil` for a single run.
    /// - Returns: What to cancel it with.
    /// - Throws: ``AppError`` with the code `invalid`.
    @discardableResult
    public func go(delay: Double, repeat interval: Double?) throws(AppError) -> Int {
        let duration = try AppError.duration(delay, in: Self.delays, named: "delay")
        var pause: Duration?
        if let interval { pause = try AppError.duration(interval, in: Self.intervals, named: "repeat") }
        guard rows.count < Self.rowLimit else {
            throw AppError(.invalid, "there are \(Self.rowLimit) timers; cancel some first")
        }
        let id = lastID + 1
        let timer: BackgroundTimer.ID
        do throws(BackgroundError) {
            timer = try timers.schedule(after: duration, every: pause) { [weak self] in self?.run(id) }
        } catch {
            throw AppError(error)
        }
        lastID = id
        rows.append(Row(id: id, delay: delay, interval: pause, timer: timer))
        changed()
        return id
    }

    /// Cancels a timer; the row goes when the event has come.
    public func cancel(_ id: Int) throws(AppError) {
        guard let row = rows.first(where: { $0.id == id }) else {
            throw AppError(.notFound, "`id` is \(id); there is no such timer, it may have run already")
        }
        timers.cancel(row.timer)
    }

    /// Cancels all timers.
    public func cancelAll() { timers.cancelAll() }

    /// Hears what became of a timer, on the main loop.
    public func backgroundTimer(named name: String, did event: BackgroundTimer.Event) {
        switch event {
        case .executed(let timer, willRepeat: false): end(timer, "executed")
        case .cancelled(let timer): end(timer, "cancelled")
        // They stay: when the app runs again, they go on.
        case .expired(let timers): for timer in timers { note(timer, "expired") }
        case .executed, .handedOver: break
        }
        changed()
    }

    func snapshot() -> TimerSnapshot {
        TimerSnapshot(
            rows: rows.map { row in
                TimerSnapshot.Row(
                    id: row.id, delay: row.delay, repeat: row.interval?.seconds, count: row.count,
                    next: timers.deadline(of: row.timer).map { TimeText.iso8601(host.wall(at: $0)) })
            }, vibrations: vibrations, ended: ended)
    }

    private func run(_ id: Int) {
        guard let index = rows.firstIndex(where: { $0.id == id }) else { return }
        rows[index].count += 1
        vibrations += 1
        changed()
    }

    private func end(_ timer: BackgroundTimer.ID, _ what: String) {
        note(timer, what)
        rows.removeAll { $0.timer == timer }
    }

    private func note(_ timer: BackgroundTimer.ID, _ what: String) {
        guard let row = rows.first(where: { $0.timer == timer }) else { return }
        ended.append(TimerSnapshot.Ended(id: row.id, what: what, at: host.stamp))
        if ended.count > Self.endedLimit { ended.removeFirst() }
    }
}

/// What the screen "Timer" shows.
public struct TimerSnapshot: Codable, Sendable, Hashable {
    /// A timer that waits.
    public struct Row: Codable, Sendable, Hashable {
        /// What to cancel it with.
        public var id: Int
        /// Seconds until the first run.
        public var delay: Double
        /// Seconds between further runs.
        @Nullable public var `repeat`: Double?
        /// How often it has run.
        public var count: Int
        /// When it runs next.
        @Nullable public var next: String?
    }

    /// What became of a timer.
    public struct Ended: Codable, Sendable, Hashable {
        /// Which one.
        public var id: Int
        /// `executed`, `cancelled`, or `expired`: there was no more time for it, and it waits until the app is opened.
        public var what: String
        /// When.
        public var at: String
    }

    /// The timers that wait, in the order in which they were started.
    public var rows: [Row]
    /// How often the phone would have vibrated.
    public var vibrations: Int
    /// The last twenty ends, the earliest first.
    public var ended: [Ended]
}
