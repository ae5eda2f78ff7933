import ApusBackground
public import ApusTimers

/// Sleepless: an app with a screen for each thing that an app may do when the user has left it.
///
/// It is made in each launch, from what the system gives it, and knows nothing of how it is shown: its screens are read
/// with ``snapshot()`` whenever ``onChange`` was called, and what the user taps are methods of the models.
@MainActor
public final class App {
    /// The app's screens.
    public enum Tab: String, Codable, Sendable, Hashable, CaseIterable {
        /// ``TimerModel``.
        case timer
        /// ``CountdownModel``.
        case countdown
        /// ``ToDoModel``.
        case todo
        /// ``AudioModel``.
        case audio
        /// ``LocationModel``.
        case location
        /// ``CompletionModel``.
        case completion
        /// ``RefreshModel``.
        case refresh
        /// ``LessonsModel``.
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

    /// Called on the main loop when something looks different; what is shown then is ``snapshot()``.
    public var onChange: (@MainActor () -> Void)? {
        get { changed.handler }
        set { changed.handler = newValue }
    }

    /// What the clock shows to the app.
    public var now: WallInstant { host.now }

    private let host: any BackgroundHost
    private let changed = ChangeSignal()
    private var phases: ObservationToken?

    /// The app in a new process.
    ///
    /// - Parameter services: What the system gives it.
    /// - Throws: What the stores and the scheduler of background jobs throw: the app cannot run then.
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

    /// What the screens show now.
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

/// All that can be seen of the app.
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

/// How a screen says that it looks different now.
@MainActor
final class ChangeSignal {
    var handler: (@MainActor () -> Void)?

    func callAsFunction() { handler?() }
}
