#if os(Linux)
    import ApusBackground
    import ApusDevice
    import ApusTimers
    import Foundation
    import SimulatedAppleCore
    import Testing
    import Tutorials
    import UIKit

    /// The programs of the apps, each of which does what the app's `main` would do.
    @MainActor private enum Programs {
        nonisolated static func leakyUpload() { run { kept = LeakyUploadModel(steps: 60).started { $0.start() } } }
        nonisolated static func upload() { run { kept = UploadModel(steps: 60).started { $0.start() } } }
        nonisolated static func wholeSeconds() { run { kept = WholeSecondsModel() } }
        nonisolated static func slowUpload() { run { kept = SlowUploadModel() } }
        nonisolated static func refresh() { SimulatedPhone.run(RefreshAppDelegate()) }
        nonisolated static func unfinishedRefresh() { SimulatedPhone.run(UnfinishedAppDelegate()) }

        nonisolated static func ticking() {
            run {
                kept = TickingCountdown(seconds: 1_000_000).started { countdown in
                    countdown.onTick = { SimulatedPhone.note("left \($0)") }
                    countdown.start()
                }
            }
        }

        nonisolated static func dated() {
            run {
                kept = DatedCountdown(seconds: 1_000_000).started { countdown in
                    countdown.onTick = { SimulatedPhone.note("left \($0)") }
                    countdown.start()
                }
            }
        }

        nonisolated static func defaultFeed() {
            run { kept = FeedTimer().started { $0.start(in: .default) { SimulatedPhone.note("tick") } } }
        }

        nonisolated static func commonFeed() {
            run { kept = FeedTimer().started { $0.start(in: .common) { SimulatedPhone.note("tick") } } }
        }

        nonisolated private static func run(_ body: @escaping @MainActor @Sendable () -> Void) {
            SimulatedPhone.run(StartingDelegate(body))
        }

        private static var kept: Any?
    }

    /// A delegate that runs a closure when the app has been launched.
    private final class StartingDelegate: UIResponder, UIApplicationDelegate {
        private let body: @MainActor @Sendable () -> Void

        init(_ body: @escaping @MainActor @Sendable () -> Void) { self.body = body }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            body()
            return true
        }
    }

    /// An upload whose expiration handler waits for the step that is under way.
    @MainActor
    private final class SlowUploadModel {
        private var backgroundTask = UIBackgroundTaskIdentifier.invalid
        private var observer: (any NSObjectProtocol)?

        init() {
            observer = NotificationCenter.default.addObserver(
                forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: .main
            ) { [weak self] _ in
                MainActor.assumeIsolated { self?.begin() }
            }
        }

        private func begin() {
            backgroundTask = UIApplication.shared.beginBackgroundTask(withName: "Upload") { [weak self] in
                MainActor.assumeIsolated {
                    guard let self else { return }
                    Thread.sleep(forTimeInterval: 8)
                    UIApplication.shared.endBackgroundTask(self.backgroundTask)
                }
            }
        }
    }

    /// A model that shows how many seconds the app may still run.
    ///
    /// Until the app is in front, its state is `background`. The remaining time may then be the greatest finite number,
    /// which does not fit an `Int`.
    ///
    /// Apple, documentation/uikit/uiapplication/backgroundtimeremaining: the value is valid only after the app has
    /// entered the background with a task.
    @MainActor
    private final class WholeSecondsModel {
        private var observer: (any NSObjectProtocol)?
        private var text = ""

        init() {
            observer = NotificationCenter.default.addObserver(
                forName: UIApplication.willEnterForegroundNotification, object: nil, queue: .main
            ) { [weak self] _ in
                MainActor.assumeIsolated { self?.show() }
            }
        }

        private func show() {
            guard UIApplication.shared.applicationState == .background else { return }
            text = "\(Int(UIApplication.shared.backgroundTimeRemaining)) s left"
        }
    }

    /// A model that a program creates and starts in one expression.
    private protocol Starting: AnyObject {}

    extension Starting {
        fileprivate func started(_ start: (Self) -> Void) -> Self {
            start(self)
            return self
        }
    }

    extension UploadModel: Starting {}
    extension LeakyUploadModel: Starting {}
    extension TickingCountdown: Starting {}
    extension DatedCountdown: Starting {}
    extension FeedTimer: Starting {}

    /// A check that follows the log of one device.
    @MainActor
    private protocol LogCheck {
        init()
        /// Returns a description of the mistake that the event shows; `nil` if it shows none.
        mutating func look(at event: DeviceEvent) -> String?
    }

    /// Explores the apps of tutorials with a random user, with more seeds if `APUS_SEEDS` is set.
    @MainActor
    @Suite("Exploration of the apps of tutorials, each in a process of its own")
    struct TutorialExplorationTests {
        typealias Program = @convention(c) () -> Void

        private static let seeds: ClosedRange<UInt64> =
            1...(ProcessInfo.processInfo.environment["APUS_SEEDS"].flatMap(UInt64.init) ?? 12)

        private static func explore(
            _ program: Program, check: @escaping @MainActor (SimulatedDevice) -> String? = { _ in nil }
        ) throws -> ExplorationReport {
            var exploration = Exploration()
            // These apps use dates, which correctly follow the wall clock, so a change of that clock would look like a
            // mistake. The user therefore does not set it.
            exploration.allows = { if case .moveWallClock = $0 { false } else { true } }
            return try SimulatedDevice.explore(seeds: seeds, exploration) { device in
                let manifest = AppManifest(
                    backgroundModes: [.fetch], permittedTaskIdentifiers: ["com.example.refresh"], usesScenes: false)
                SimulatedPhone.install(on: device, manifest: manifest, program: program)
            } check: {
                check($0)
            }
        }

        private static func failure(
            _ program: Program, check: @escaping @MainActor (SimulatedDevice) -> String? = { _ in nil }
        ) throws -> ExplorationFailure {
            var found: ExplorationFailure?
            do { _ = try explore(program, check: check) } catch let failure as ExplorationFailure { found = failure }
            let failure = try #require(found, "nothing was found in \(seeds.count) seeds")
            #expect(failure.isReproducible)
            #expect(failure.steps.count <= 10, "\(failure)")
            return failure
        }

        // MARK: Checks

        /// Checks that, within one process, the remaining time decreases by one second each second.
        private struct CountdownCheck: LogCheck {
            private var anchor: (wall: WallInstant, left: Int)?

            mutating func look(at event: DeviceEvent) -> String? {
                switch event.what {
                case .launched: anchor = nil
                case .note(let text):
                    guard text.hasPrefix("left "), let left = Int(text.dropFirst(5)) else { return nil }
                    guard let anchor else {
                        anchor = (event.wall, left)
                        return nil
                    }
                    let passed = Int(anchor.wall.duration(to: event.wall).components.seconds)
                    if abs(anchor.left - left - passed) > 2 {
                        return "\(passed) s have passed, \(anchor.left - left) are counted"
                    }
                default: break
                }
                return nil
            }
        }

        /// Checks that the clock on the screen moves while the app is active.
        private struct TickCheck: LogCheck {
            private var last: WallInstant?
            private var isActive = false

            mutating func look(at event: DeviceEvent) -> String? {
                switch event.what {
                case .phase(let phase):
                    isActive = phase == .active
                    last = isActive ? event.wall : nil
                // No timer fires while the device sleeps.
                case .control(let name) where name.hasPrefix("sleep"): last = nil
                case .note("tick") where isActive:
                    let gap = last.map { $0.duration(to: event.wall) } ?? .zero
                    if gap > .seconds(3) { return "the clock stood still for \(gap.components.seconds) s in front" }
                    last = event.wall
                default: break
                }
                return nil
            }
        }

        /// Returns a closure that checks each event of a device once, even if it is called after each step.
        private static func check<Check: LogCheck>(
            _ type: Check.Type
        ) -> @MainActor (SimulatedDevice) -> String? {
            var looked: (device: SimulatedDevice, events: Int, check: Check)?
            return { device in
                let log = device.log
                let known = looked.flatMap { $0.device === device ? $0 : nil }
                var check = known?.check ?? Check()
                defer { looked = (device, log.count, check) }
                for event in log[(known?.events ?? 0)...] {
                    if let problem = check.look(at: event) { return problem }
                }
                return nil
            }
        }

        // MARK: Planted mistakes

        @Test("a leaked background task is found and shown by ten steps at most")
        func leakedTask() throws {
            guard case .fault(let fault) = try Self.failure({ Programs.leakyUpload() }).problem else {
                return #expect(Bool(false))
            }
            #expect(fault.rule == .backgroundTaskNotEnded)
        }

        @Test("an expiration handler that takes eight seconds is found and shown by ten steps at most")
        func slowHandler() throws {
            guard case .fault(let fault) = try Self.failure({ Programs.slowUpload() }).problem else {
                return #expect(Bool(false))
            }
            #expect([.slowHandlers, .backgroundTaskNotEnded].contains(fault.rule), "\(fault)")
        }

        @Test("a refresh that is never completed is found and shown by ten steps at most")
        func forgottenCompletion() throws {
            guard case .fault(let fault) = try Self.failure({ Programs.unfinishedRefresh() }).problem else {
                return #expect(Bool(false))
            }
            #expect(fault.rule == .jobNotCompleted)
        }

        @Test("a timer of the default mode is found by scrolling")
        func defaultTimer() throws {
            let failure = try Self.failure({ Programs.defaultFeed() }, check: Self.check(TickCheck.self))
            let scrolls = failure.steps.contains { if case .scroll = $0 { true } else { false } }
            #expect(scrolls, "\(failure)")
        }

        @Test("a countdown that counts ticks is found by leaving the app")
        func tickCounting() throws {
            let failure = try Self.failure({ Programs.ticking() }, check: Self.check(CountdownCheck.self))
            guard case .check = failure.problem else { return #expect(Bool(false), "\(failure)") }
        }

        @Test("a trap on the way to the front is found")
        func wholeSeconds() throws {
            guard case .fault(let fault) = try Self.failure({ Programs.wholeSeconds() }).problem else {
                return #expect(Bool(false))
            }
            #expect(fault.rule == .appProcessCrash)
        }

        // MARK: Tidy apps

        @Test("an upload in a background task withstands the random user")
        func tidyUpload() throws {
            let report = try Self.explore({ Programs.upload() })
            #expect(report.expirationCount > 0)
            print("an upload: \(report)")
        }

        @Test("an app that refreshes itself withstands the random user")
        func tidyRefresh() throws {
            let report = try Self.explore({ Programs.refresh() })
            #expect(report.seedCount == Self.seeds.count)
            #expect(report.suspensionCount > 0)
            print("a refresh: \(report)")
        }

        @Test("a countdown with a date withstands the random user")
        func tidyCountdown() throws {
            print("a countdown: \(try Self.explore({ Programs.dated() }, check: Self.check(CountdownCheck.self)))")
        }

        @Test("a clock in the common modes withstands the random user")
        func tidyClock() throws {
            print("a clock: \(try Self.explore({ Programs.commonFeed() }, check: Self.check(TickCheck.self)))")
        }
    }
#endif
