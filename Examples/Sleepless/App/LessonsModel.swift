import ApusBackground
import ApusTimers

/// The screen "Lessons": common mistakes of apps beside the right way, and mistakes for which the system ends an app.
@MainActor
public final class LessonsModel {
    /// A mistake for which the system ends an app.
    public enum Mistake: String, Codable, Sendable, Hashable, CaseIterable {
        /// A background task that is not ended when its time is over.
        case leakedTask
        /// An expiration handler that takes eight seconds.
        case slowHandler
        /// A refresh that is not completed when its time is over.
        case endlessRefresh
    }

    /// The identifier of the refresh that ``Mistake/endlessRefresh`` submits.
    public static let endlessRefresh = "sleepless.endless"
    /// The identifier of the work that ``export()`` submits.
    public static let exporting = "sleepless.export"
    /// The accepted tolerances of ``measureWakeUps(tolerance:)``, in seconds.
    public static let tolerances = 0...9.0

    nonisolated private static let exportSteps = 30

    private let host: any BackgroundHost
    private let jobs: any BackgroundJobDebugging
    private let block: @MainActor @Sendable (Duration) -> Void
    private let changed: ChangeSignal
    private var shown = LessonsSnapshot()
    private var tickers: [RepeatingTimer] = []
    private var isTickWaiting = false
    private var measured: [RepeatingTimer] = []
    private var frames: FrameTimer?
    private var wakeUp: UptimeInstant?
    private var leaked: BackgroundTask?
    private var slow: BackgroundTask?

    /// Registers the handlers during every launch, because the app may be launched for a job.
    init(_ services: Services, changed: ChangeSignal) throws {
        host = services.host
        jobs = services.jobs
        block = services.block
        self.changed = changed
        try jobs.register(Self.endlessRefresh) { [host] run in
            // Because there is a handler, the expiration does not end the run. The handler does not end the work early
            // either.
            run.onExpiration {}
            await withUnsafeContinuation { continuation in
                host.engine.schedule(after: .seconds(600)) { continuation.resume() }
            }
        }
        try jobs.register(Self.exporting) { [weak self, host] run in
            for step in 1...Self.exportSteps {
                do {
                    try await host.engine.sleep(for: .seconds(1))
                } catch {
                    await host.onMainLoop { self?.exported(step - 1, "cancelled") }
                    throw error
                }
                run.report(completed: Int64(step), of: Int64(Self.exportSteps))
                await host.onMainLoop { self?.exported(step, step == Self.exportSteps ? "done" : nil) }
            }
        }
    }

    // MARK: Modes of the main loop

    /// Starts or stops two tickers with an interval of a second.
    ///
    /// One ticker's ticks run in the default mode of the main loop, the other's in the common modes.
    public func tick(_ isOn: Bool) {
        tickers.removeAll()
        shown.ticks = LessonsSnapshot.Ticks(isOn: isOn)
        changed()
        guard isOn else { return }
        tickers = [
            host.ticker(every: .seconds(1)) { [weak self] in self?.tickInDefaultMode() },
            host.ticker(every: .seconds(1)) { [weak self] in self?.ticked(\.inCommonModes) },
        ]
        for ticker in tickers { ticker.resume() }
    }

    /// Adds a tick that waits for the end of the scrolling, as the tick of a `Timer` does; at most one tick waits.
    private func tickInDefaultMode() {
        guard !isTickWaiting else { return }
        isTickWaiting = true
        host.mainLoop.run(in: .default) { [weak self] in
            self?.isTickWaiting = false
            self?.ticked(\.inDefaultMode)
        }
    }

    private func ticked(_ count: WritableKeyPath<LessonsSnapshot.Ticks, Int>) {
        guard shown.ticks.isOn else { return }
        shown.ticks[keyPath: count] += 1
        changed()
    }

    // MARK: Tolerance

    /// Runs three timers of ten seconds for a minute, and counts how often they wake the app.
    ///
    /// The timers start a second apart; with enough tolerance they fire together.
    ///
    /// - Parameter tolerance: The tolerance of each timer, in seconds from 0 to 9.
    /// - Throws: ``AppError`` with the code `invalid`, or `unavailable` while the minute is not over.
    public func measureWakeUps(tolerance: Double) throws(AppError) {
        guard shown.wakeUps?.isOver != false else {
            throw AppError(.unavailable, "the three timers are running; wait until their minute is over")
        }
        let duration = try AppError.duration(tolerance, in: Self.tolerances, named: "tolerance")
        measured = (0..<3).map { _ in
            host.ticker(every: .seconds(10), tolerance: duration) { [weak self] in self?.fired() }
        }
        wakeUp = nil
        shown.wakeUps = LessonsSnapshot.WakeUps(tolerance: tolerance)
        changed()
        for (seconds, timer) in measured.enumerated() {
            host.engine.schedule(after: .seconds(seconds)) { timer.resume() }
        }
        host.engine.schedule(after: .seconds(63)) { [weak self, mainLoop = host.mainLoop] in
            mainLoop.run { self?.endMeasuring() }
        }
    }

    private func fired() {
        let now = host.engine.time.uptime()
        shown.wakeUps?.firings += 1
        if now != wakeUp { shown.wakeUps?.wakeUps += 1 }
        wakeUp = now
        changed()
    }

    private func endMeasuring() {
        measured.removeAll()
        shown.wakeUps?.isOver = true
        changed()
    }

    // MARK: Frames

    /// Counts the frames of a 60 Hz display and the ticks of a timer of 10 ms, for two seconds.
    ///
    /// Some apps use such a timer in order not to miss a frame.
    ///
    /// - Throws: ``AppError`` with the code `unavailable` while they are counted.
    public func compareFrames() throws(AppError) {
        guard shown.frames?.isOver != false else {
            throw AppError(.unavailable, "the frames are being counted; wait for two seconds")
        }
        shown.frames = LessonsSnapshot.Frames()
        let timer = host.ticker(every: .milliseconds(10)) { [weak self] in self?.shown.frames?.ticks += 1 }
        frames = try? FrameTimer(clock: .uptime, on: .engine, engine: host.engine) {
            [weak self, mainLoop = host.mainLoop] _ in
            mainLoop.run { self?.shown.frames?.frames += 1 }
        }
        frames?.isPaused = false
        timer.resume()
        changed()
        host.engine.schedule(after: .seconds(2)) { [weak self, mainLoop = host.mainLoop] in
            timer.cancel()
            mainLoop.run { self?.endFrames() }
        }
    }

    private func endFrames() {
        frames?.cancel()
        frames = nil
        shown.frames?.isOver = true
        changed()
    }

    // MARK: Continued work

    /// Starts an export of thirty seconds that continues when the user leaves, and whose progress the system shows.
    public func export() {
        let request = BackgroundJobRequest(
            Self.exporting, .continued(ContinuedJob(title: "Export", subtitle: "30 pictures")))
        shown.export = LessonsSnapshot.Export(of: Self.exportSteps)
        submit(request, thenLaunch: false)
    }

    private func exported(_ completed: Int, _ outcome: String?) {
        if shown.export == nil { shown.export = LessonsSnapshot.Export(of: Self.exportSteps) }
        shown.export?.completed = completed
        shown.export?.outcome = outcome
        changed()
    }

    // MARK: Mistakes

    /// Makes a mistake, whose consequence shows some time after the user has left the app.
    ///
    /// - Throws: ``AppError`` with the code `unavailable` if the system gives no time.
    public func make(_ mistake: Mistake) throws(AppError) {
        switch mistake {
        case .leakedTask: leaked = try claim("leaked") {}
        case .slowHandler:
            slow = try claim("slow") { [weak self] in
                self?.block(.seconds(8))
                self?.slow?.end()
            }
        case .endlessRefresh: submit(BackgroundJobRequest(Self.endlessRefresh, .refresh), thenLaunch: true)
        }
        if !shown.mistakes.contains(mistake) { shown.mistakes.append(mistake) }
        changed()
    }

    private func claim(
        _ name: String, _ handler: @escaping @MainActor @Sendable () -> Void
    ) throws(AppError) -> BackgroundTask {
        var request = BackgroundTaskRequest(name: name, onExpiration: handler)
        request.endsOnExpiration = false
        do throws(BackgroundError) {
            return try host.beginBackgroundTask(request)
        } catch {
            throw AppError(error)
        }
    }

    private func submit(_ request: BackgroundJobRequest, thenLaunch isLaunched: Bool) {
        host.start { [weak self, host, jobs] in
            let failure: String?
            do {
                try await jobs.submit(request)
                if isLaunched { try await jobs.simulateLaunch(request.identifier) }
                failure = nil
            } catch {
                failure = AppError.text(error)
            }
            await host.onMainLoop {
                self?.shown.error = failure
                self?.changed()
            }
        }
        changed()
    }

    func snapshot() -> LessonsSnapshot { shown }
}

/// The visible state of the screen "Lessons".
public struct LessonsSnapshot: Codable, Sendable, Hashable {
    /// The ticks of two tickers in different modes.
    public struct Ticks: Codable, Sendable, Hashable {
        /// Whether the tickers run.
        public var isOn = false
        /// The ticks of the ticker that waits while the user scrolls.
        public var inDefaultMode = 0
        /// The ticks of the other ticker.
        public var inCommonModes = 0
    }

    /// The wake-ups for three timers with a tolerance.
    public struct WakeUps: Codable, Sendable, Hashable {
        /// The tolerance of each timer, in seconds.
        public var tolerance: Double
        /// The number of times that the timers fired.
        public var firings = 0
        /// The number of instants at which they fired.
        public var wakeUps = 0
        /// Whether the minute is over.
        public var isOver = false
    }

    /// The frames of a display, and the ticks of a timer.
    public struct Frames: Codable, Sendable, Hashable {
        /// The number of frames of the display.
        public var frames = 0
        /// The number of ticks of the timer.
        public var ticks = 0
        /// Whether the two seconds are over.
        public var isOver = false
    }

    /// The progress of an export.
    public struct Export: Codable, Sendable, Hashable {
        /// The number of completed steps.
        public var completed = 0
        /// The number of all steps.
        public var total: Int
        /// The outcome: `done` or `cancelled`.
        @Nullable public var outcome: String?

        init(of total: Int) { self.total = total }
    }

    /// The state of the tickers.
    public var ticks = Ticks()
    /// The timers with a tolerance; `nil` before they were started.
    @Nullable public var wakeUps: WakeUps?
    /// The frames; `nil` before they were compared.
    @Nullable public var frames: Frames?
    /// The export; `nil` if none was started in this process.
    @Nullable public var export: Export?
    /// The mistakes that were made in this process.
    public var mistakes: [LessonsModel.Mistake] = []
    /// The reason why the last request was refused.
    @Nullable public var error: String?
}
