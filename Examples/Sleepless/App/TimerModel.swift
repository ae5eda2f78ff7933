public import ApusBackground
import ApusTimers

/// The screen "Timer": timers whose work continues for a while after the user has pressed Home.
///
/// It demonstrates ``BackgroundTimers``. The rows of the screen are a ``TimerList``. A row has its own number, because
/// the closure of a timer is created before the timer has an identifier.
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
    ///   - delay: The delay of the first run, in seconds from 0 to a day.
    ///   - interval: The interval of further runs, in seconds from 0.1 to a day; `nil` for a single run.
    /// - Returns: The number of the row, with which the timer can be cancelled.
    /// - Throws: ``AppError`` with the code `invalid`.
    @discardableResult
    public func go(delay: Double, repeat interval: Double?) throws(AppError) -> Int {
        let duration = try AppError.duration(delay, in: Self.delays, named: "delay")
        var pause: Duration?
        if let interval { pause = try AppError.duration(interval, in: Self.intervals, named: "repeat") }
        guard !list.isFull else {
            throw AppError(.invalid, "there are \(TimerList.rowLimit) timers, which is the limit; cancel some first")
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

    /// Cancels a timer, whose row is removed when the timer reports its cancellation.
    public func cancel(_ id: Int) throws(AppError) {
        guard let timer = list.timer(id) else {
            throw AppError(.notFound, "there is no timer with the `id` \(id); it may have run already")
        }
        timers.cancel(timer)
    }

    /// Cancels all timers.
    public func cancelAll() { timers.cancelAll() }

    /// Performs the work of a timer.
    private func vibrate(_ id: Int) {
        list.ran(id)
        changed()
    }

    /// Handles an event of a timer, on the main loop.
    public func backgroundTimers(named name: String, did event: BackgroundTimers.Event) {
        list.happened(event, at: host.stamp)
        changed()
    }

    func snapshot() -> TimerSnapshot {
        list.snapshot { timer in timers.deadline(of: timer).map { host.wall(at: $0).iso8601 } }
    }
}

/// The visible state of the screen "Timer".
public struct TimerSnapshot: Codable, Sendable, Hashable {
    /// A pending timer.
    public struct Row: Codable, Sendable, Hashable {
        /// The number of the row, with which the timer can be cancelled.
        public var id: Int
        /// The delay of the first run, in seconds.
        public var delay: Double
        /// The interval of further runs, in seconds.
        @Nullable public var `repeat`: Double?
        /// The number of runs so far.
        public var count: Int
        /// The instant of the next run.
        @Nullable public var next: String?
    }

    /// The result of a timer.
    public struct Ended: Codable, Sendable, Hashable {
        /// The number of the timer's row.
        public var id: Int
        /// The result: `executed`, `cancelled`, or `expired` if the host granted no more time; the timer then stays
        /// pending until the app runs again.
        public var what: String
        /// The instant of the event.
        public var at: String
    }

    /// The pending timers, in the order in which they were started.
    public var rows: [Row]
    /// The number of times that the phone would have vibrated.
    public var vibrations: Int
    /// The last twenty results, the earliest first.
    public var ended: [Ended]
}
