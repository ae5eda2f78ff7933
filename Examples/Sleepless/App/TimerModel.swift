public import ApusBackground
import ApusTimers

/// The screen "Timer": timers whose work continues for a while after Home. It shows ``BackgroundTimers``.
///
/// The timers are the ``BackgroundTimers``'s; the screen's rows about them are a ``TimerList``. A row has a number of its
/// own, because a timer's work is written before the timer has an identifier.
@MainActor
public final class TimerModel: BackgroundTimersDelegate {
    /// The accepted delays, in seconds.
    public static let delays = 0...86_400.0
    /// The accepted intervals, in seconds.
    public static let intervals = 0.1...86_400.0

    private let host: any BackgroundHost
    private let changed: ChangeSignal
    private lazy var timers = BackgroundTimers(host: host, name: "timers", delegate: self)
    private var list = TimerList()

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
        guard !list.isFull else {
            throw AppError(.invalid, "there are \(TimerList.rowLimit) timers; cancel some first")
        }
        let id = list.nextID
        do throws(BackgroundError) {
            let timer = try timers.schedule(after: duration, every: pause) { [weak self] in self?.vibrate(id) }
            list.add(timer, delay: delay, repeat: pause?.seconds)
        } catch {
            throw AppError(error)
        }
        changed()
        return id
    }

    /// Cancels a timer; the row goes when the event has come.
    public func cancel(_ id: Int) throws(AppError) {
        guard let timer = list.timer(id) else {
            throw AppError(.notFound, "`id` is \(id); there is no such timer, it may have run already")
        }
        timers.cancel(timer)
    }

    /// Cancels all timers.
    public func cancelAll() { timers.cancelAll() }

    /// The work of a timer.
    private func vibrate(_ id: Int) {
        list.ran(id)
        changed()
    }

    /// Hears what became of a timer, on the main loop.
    public func backgroundTimers(named name: String, did event: BackgroundTimers.Event) {
        list.happened(event, at: host.stamp)
        changed()
    }

    func snapshot() -> TimerSnapshot {
        list.snapshot { timer in timers.deadline(of: timer).map { host.wall(at: $0).iso8601 } }
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
