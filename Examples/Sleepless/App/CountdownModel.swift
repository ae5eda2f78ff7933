import ApusBackground
public import ApusTimers

/// The screen "Countdown": a countdown that survives suspension, kills and restarts.
///
/// It demonstrates ``Countdown``.
@MainActor
public final class CountdownModel {
    /// The accepted lengths in seconds, up to a year.
    public static let lengths = 1...31_536_000.0
    /// The accepted extensions in seconds; a negative number shortens the countdown.
    public static let changes = -31_536_000...31_536_000.0

    private static let totalKey = "countdown.total"
    /// The lateness after which a finish counts as unseen.
    private static let noticeable: Duration = .seconds(1)

    private let host: any BackgroundHost
    private let store: any RecordStore
    private let changed: ChangeSignal
    private let countdown: Countdown
    private var total: Double
    private var wasAwayAtFinish = false
    private var observations: [ObservationToken] = []

    init(_ services: Services, changed: ChangeSignal) throws {
        host = services.host
        store = services.store
        self.changed = changed
        countdown = try Countdown(
            host: host, store: store, key: "countdown",
            notification: UserNotification(title: "Time is up", body: "The countdown in Sleepless has finished."),
            notificationScheduler: services.notifications)
        total = try store.load(Double.self, for: Self.totalKey) ?? 0
        observations = [
            countdown.observeFinish { [weak self] instant in self?.finished(at: instant) },
            countdown.observeDisplay { [changed] _ in changed() },
        ]
    }

    /// Starts a countdown of a number of seconds, from 1 to 31,536,000 (a year).
    public func start(seconds: Double) throws(AppError) {
        let duration = try AppError.duration(seconds, in: Self.lengths, named: "seconds")
        try change { () throws(BackgroundError) in try countdown.start(for: duration) }
        try keepTotal(seconds)
    }

    /// Starts a countdown to an instant of the wall clock.
    public func start(until instant: WallInstant) throws(AppError) {
        try change { () throws(BackgroundError) in try countdown.start(until: instant) }
        try keepTotal(countdown.remaining.seconds)
    }

    /// Pauses the countdown.
    public func pause() throws(AppError) { try change { () throws(BackgroundError) in try countdown.pause() } }

    /// Resumes the countdown.
    public func resume() throws(AppError) { try change { () throws(BackgroundError) in try countdown.resume() } }

    /// Extends the countdown, or shortens it by a negative number of seconds.
    public func add(seconds: Double) throws(AppError) {
        let duration = try AppError.duration(seconds, in: Self.changes, named: "seconds")
        let left = countdown.remaining
        guard duration + left > .zero || left == .zero else {
            throw AppError(
                .invalid, "`seconds` is \(seconds.brief), which leaves nothing; pass more than \((-left.seconds).brief)"
            )
        }
        var isLonger = false
        try change { () throws(BackgroundError) in isLonger = try countdown.extend(by: duration) }
        if isLonger { try keepTotal(max(total + seconds, countdown.remaining.seconds)) }
    }

    /// Cancels the countdown.
    public func cancel() throws(AppError) { try change { () throws(BackgroundError) in try countdown.cancel() } }

    /// Records that the user has seen the end of the countdown.
    public func acknowledge() throws(AppError) {
        try change { () throws(BackgroundError) in try countdown.acknowledge() }
    }

    func snapshot() -> CountdownSnapshot {
        var snapshot = CountdownSnapshot(
            state: "idle", text: CountdownText.remaining(countdown.remaining), remaining: countdown.remaining.seconds,
            total: total, stop: countdown.stopInstant.map(\.iso8601), finishedAt: nil, wasUnseen: false,
            ago: nil)
        switch countdown.state {
        case .idle: break
        case .running: snapshot.state = "running"
        case .paused: snapshot.state = "paused"
        case .finished(let instant, let unseen):
            snapshot.state = "finished"
            snapshot.finishedAt = instant.iso8601
            snapshot.wasUnseen = unseen || wasAwayAtFinish
            snapshot.ago = Self.ago(instant.duration(to: host.now))
        }
        return snapshot
    }

    /// Records whether the user saw the finish.
    ///
    /// The observer is called late if the app did not run at the finish. The user has not seen such a finish, nor one
    /// that came while the app was not in front.
    private func finished(at instant: WallInstant) {
        wasAwayAtFinish = host.phase != .active || instant.duration(to: host.now) > Self.noticeable
        changed()
    }

    private func change(_ action: () throws(BackgroundError) -> Void) throws(AppError) {
        do throws(BackgroundError) { try action() } catch { throw AppError(error) }
        changed()
    }

    private func keepTotal(_ seconds: Double) throws(AppError) {
        wasAwayAtFinish = false
        total = seconds
        do {
            try store.save(seconds, for: Self.totalKey)
        } catch {
            throw AppError(.storeFailed, "the countdown's length could not be stored: \(AppError.text(error))")
        }
    }

    private static func ago(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3_600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}

/// The visible state of the screen "Countdown".
public struct CountdownSnapshot: Codable, Sendable, Hashable {
    /// The state: `idle`, `running`, `paused` or `finished`.
    public var state: String
    /// The remaining time, in the form of a clock.
    public var text: String
    /// The remaining time, in seconds.
    public var remaining: Double
    /// The length of the countdown, in seconds.
    public var total: Double
    /// The instant at which the countdown ends or has ended.
    @Nullable public var stop: String?
    /// The instant at which the countdown has finished.
    @Nullable public var finishedAt: String?
    /// Whether the countdown has finished while the user was away.
    public var wasUnseen: Bool
    /// The time since the finish, in words.
    @Nullable public var ago: String?
}
