import ApusBackground
public import ApusTimers

/// Sleepless: an app with a screen for each thing that an app may do after the user has left it.
///
/// It is created at each launch from the services of the system, and does not depend on how it is shown: the caller
/// reads its screens with ``snapshot()`` whenever ``onChange`` was called. The methods of the models are the user's
/// taps.
@MainActor
public final class App {
    /// The app's screens.
    public enum Tab: String, Codable, Sendable, Hashable, CaseIterable {
        /// The screen of the ``TimerModel``.
        case timer
        /// The screen of the ``CountdownModel``.
        case countdown
        /// The screen of the ``ToDoModel``.
        case todo
        /// The screen of the ``AudioModel``.
        case audio
        /// The screen of the ``LocationModel``.
        case location
        /// The screen of the ``CompletionModel``.
        case completion
        /// The screen of the ``RefreshModel``.
        case refresh
        /// The screen of the ``LessonsModel``.
        case lessons
    }

    /// The screen "Timer".
    public let timer: TimerModel
    /// The screen "Countdown".
    public let countdown: CountdownModel
    /// The screen "To do".
    public let toDo: ToDoModel
    /// The screen "Audio"; `nil` where the host has no sound.
    public let audio: AudioModel?
    /// The screen "Location"; `nil` where the host has no positions.
    public let location: LocationModel?
    /// The screen "Completion".
    public let completion: CompletionModel
    /// The screen "Refresh".
    public let refresh: RefreshModel
    /// The screen "Lessons".
    public let lessons: LessonsModel

    /// The screen that is shown.
    public var tab = Tab.timer {
        didSet { changed() }
    }

    /// Called on the main loop when the screens have changed; ``snapshot()`` contains the new state.
    public var onChange: (@MainActor () -> Void)? {
        get { changed.handler }
        set { changed.handler = newValue }
    }

    /// The host's wall clock.
    public var now: WallInstant { host.now }

    private let host: any BackgroundHost
    private let changed = ChangeSignal()
    private var phases: ObservationToken?

    /// Creates the app in a new process.
    ///
    /// - Parameter services: The services of the system.
    /// - Throws: An error of the stores or of the scheduler of background jobs, without which the app cannot run.
    public init(_ services: Services) throws {
        host = services.host
        timer = TimerModel(host: services.host, changed: changed)
        countdown = try CountdownModel(services, changed: changed)
        toDo = try ToDoModel(services, changed: changed)
        audio = AudioModel(services, changed: changed)
        location = LocationModel(services, changed: changed)
        completion = try CompletionModel(services, changed: changed)
        refresh = try RefreshModel(services, changed: changed)
        lessons = try LessonsModel(services, changed: changed)
        phases = services.host.observePhase { [weak self] phase in self?.entered(phase) }
        services.host.start(services.askToNotify)
    }

    /// Returns what the screens show now.
    public func snapshot() -> AppSnapshot {
        AppSnapshot(
            tab: tab, timer: timer.snapshot(), countdown: countdown.snapshot(), todo: toDo.snapshot(),
            audio: audio?.snapshot(), location: location?.snapshot(), completion: completion.snapshot(),
            refresh: refresh.snapshot(), lessons: lessons.snapshot())
    }

    private func entered(_ phase: Phase) {
        toDo.entered(phase)
        audio?.entered(phase)
        completion.entered(phase)
        refresh.entered(phase)
        changed()
    }
}

/// The visible state of the app.
public struct AppSnapshot: Codable, Sendable, Hashable {
    /// The screen that is shown.
    public var tab: App.Tab
    /// The screen "Timer".
    public var timer: TimerSnapshot
    /// The screen "Countdown".
    public var countdown: CountdownSnapshot
    /// The screen "To do".
    public var todo: ToDoSnapshot
    /// The screen "Audio"; `nil` where the host has no sound.
    @Nullable public var audio: AudioSnapshot?
    /// The screen "Location"; `nil` where the host has no positions.
    @Nullable public var location: LocationSnapshot?
    /// The screen "Completion".
    public var completion: CompletionSnapshot
    /// The screen "Refresh".
    public var refresh: RefreshSnapshot
    /// The screen "Lessons".
    public var lessons: LessonsSnapshot
}

/// The signal with which a screen reports that it has changed.
@MainActor
final class ChangeSignal {
    var handler: (@MainActor () -> Void)?

    func callAsFunction() { handler?() }
}
