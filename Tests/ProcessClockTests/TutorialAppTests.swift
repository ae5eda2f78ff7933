#if os(Linux)
    import ApusBackground
    import ApusDevice
    import ApusTestTraits
    import ApusTimers
    import Foundation
    import SimulatedAppleCore
    import Testing
    import Tutorials
    import UIKit

    /// A delegate that holds the objects of which the app consists.
    private final class HoldingDelegate: UIResponder, UIApplicationDelegate {
        private let make: () -> AnyObject
        private var held: AnyObject?

        init(_ make: @escaping () -> AnyObject) { self.make = make }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            held = make()
            return true
        }
    }

    /// The apps of the tutorials, each of which does what its `main` would do.
    @MainActor private enum Apps {
        nonisolated static func upload() {
            SimulatedPhone.run(
                HoldingDelegate {
                    let model = UploadModel(steps: 60)
                    model.onStep = { SimulatedPhone.note("step \($0)") }
                    model.start()
                    return model
                })
        }

        nonisolated static func leakyUpload() {
            SimulatedPhone.run(
                HoldingDelegate {
                    let model = LeakyUploadModel(steps: 60)
                    model.onStep = { SimulatedPhone.note("step \($0)") }
                    model.start()
                    return model
                })
        }

        /// Makes the delegate note each refresh, and returns the delegate.
        private static func refreshing<Delegate>(
            _ delegate: Delegate, _ handler: ReferenceWritableKeyPath<Delegate, (@Sendable () -> Void)?>
        ) -> Delegate {
            delegate[keyPath: handler] = { SimulatedPhone.note("refreshed") }
            return delegate
        }

        nonisolated static func refresh() {
            SimulatedPhone.run(refreshing(RefreshAppDelegate(), \.onRefresh))
        }

        nonisolated static func forgetfulRefresh() {
            SimulatedPhone.run(refreshing(ForgetfulAppDelegate(), \.onRefresh))
        }

        nonisolated static func unfinishedRefresh() {
            SimulatedPhone.run(refreshing(UnfinishedAppDelegate(), \.onRefresh))
        }

        nonisolated static func trip() {
            SimulatedPhone.run(
                HoldingDelegate {
                    let recorder = TripRecorder()
                    recorder.onLocation = { [unowned recorder] _ in
                        SimulatedPhone.note("\(Int(recorder.distance.rounded())) m")
                    }
                    recorder.start()
                    return recorder
                })
        }

        nonisolated static func forgetfulTrip() {
            SimulatedPhone.run(
                HoldingDelegate {
                    let recorder = ForgetfulTripRecorder()
                    recorder.onLocation = { [unowned recorder] _ in SimulatedPhone.note("position \(recorder.count)") }
                    recorder.start()
                    return recorder
                })
        }

        private static let urls = ["one.m4a", "two.m4a"].map { URL(fileURLWithPath: "/music/\($0)") }

        nonisolated static func player() {
            SimulatedPhone.run(
                HoldingDelegate {
                    let player = QueuePlayer(urls: urls)
                    player.onText = { SimulatedPhone.note($0) }
                    player.onEnd = { SimulatedPhone.note("end") }
                    player.play()
                    return player
                })
        }

        nonisolated static func silentPlayer() {
            SimulatedPhone.run(
                HoldingDelegate {
                    let player = SilentQueuePlayer(urls: urls)
                    player.onText = { SimulatedPhone.note($0) }
                    player.play()
                    return player
                })
        }

        nonisolated static func steppedBall() {
            SimulatedPhone.run(
                HoldingDelegate {
                    let ball = SteppedBall()
                    ball.onFrame = { SimulatedPhone.note("\(Int($0.rounded()))") }
                    ball.start(framesPerSecond: 30)
                    return ball
                })
        }

        nonisolated static func timedBall() {
            SimulatedPhone.run(
                HoldingDelegate {
                    let ball = TimedBall()
                    ball.onFrame = { SimulatedPhone.note("\(Int($0.rounded()))") }
                    ball.start(framesPerSecond: 30)
                    return ball
                })
        }
    }

    /// An app that its user opens for a minute each day, and in which a timer fires each half second.
    ///
    /// Between two uses, it is refreshed once a day.
    private final class MonthDelegate: UIResponder, UIApplicationDelegate {
        private let refreshing = RefreshAppDelegate()
        private var timer: Timer?
        private var ticks = 0

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            refreshing.onRefresh = { SimulatedPhone.note("refreshed") }
            refreshing.interval = 20 * 3_600
            return refreshing.application(application, didFinishLaunchingWithOptions: launchOptions)
        }

        func applicationDidBecomeActive(_ application: UIApplication) {
            timer = Timer.scheduledTimer(withTimeInterval: 0.5, repeats: true) { [weak self] _ in
                MainActor.assumeIsolated { self?.ticks += 1 }
            }
        }

        func applicationDidEnterBackground(_ application: UIApplication) {
            timer?.invalidate()
            SimulatedPhone.note("\(ticks) ticks")
            refreshing.applicationDidEnterBackground(application)
        }
    }

    /// Tests what is right and what is wrong in the apps of tutorials that use UIKit and related frameworks.
    ///
    /// Each app has a process of its own.
    @MainActor
    @Suite("The apps of tutorials, on a simulated phone", .simulatedPhone())
    struct TutorialAppTests {
        private let device: SimulatedDevice

        init() throws { device = try #require(SimulatedDevice.current) }

        private func install(
            _ modes: Set<AppManifest.BackgroundMode> = [], _ program: @escaping @convention(c) () -> Void
        ) {
            let manifest = AppManifest(
                backgroundModes: modes, permittedTaskIdentifiers: ["com.example.refresh"], usesScenes: false)
            SimulatedPhone.install(
                on: device, manifest: manifest, trackDurations: ["one.m4a": .seconds(90)], program: program)
        }

        private var notes: [String] { device.notes }

        // MARK: Uploads

        @Test(
            "an upload that ends its task when the time is over runs for half a minute, and continues from there later")
        func upload() {
            install { Apps.upload() }
            device.launch()
            device.advance(by: .seconds(5))
            device.pressHome()
            device.advance(by: .seconds(600))
            #expect(device.host?.phase == .suspended)
            #expect((30...35).contains(notes.count))
            device.open()
            device.advance(by: .seconds(60))
            #expect(notes.last == "step 60")
        }

        @Test("an upload that forgets to end its task in the handler ends the app")
        func leakyUpload() {
            device.expect(.backgroundTaskNotEnded)
            install { Apps.leakyUpload() }
            device.launch()
            device.pressHome()
            device.advance(by: .seconds(60))
            #expect(device.host == nil)
            #expect((25...30).contains(notes.count))
        }

        // MARK: Refreshes

        /// Returns the outcomes of the refreshes in the two days after the user has left an app.
        private func refreshes(_ program: @escaping @convention(c) () -> Void) -> [BackgroundJobRecord.Outcome?] {
            install([.fetch], program)
            device.launch()
            device.advance(by: .seconds(600))
            device.pressHome()
            device.advance(by: .seconds(2 * 86_400))
            return device.jobs.report.runs.map(\.outcome)
        }

        @Test("an app that asks for the next refresh in each one is refreshed repeatedly")
        func refresh() {
            let outcomes = refreshes { Apps.refresh() }
            #expect(outcomes.count >= 4)
            #expect(outcomes == notes.map { _ in .succeeded })
        }

        @Test("an app that asks for a refresh only when the user leaves it is refreshed once")
        func forgetfulRefresh() {
            #expect(refreshes { Apps.forgetfulRefresh() } == [.succeeded])
            #expect(notes == ["refreshed"])
        }

        @Test("an app that does not complete its task when the time is over is ended for it")
        func unfinishedRefresh() {
            device.expect(.jobNotCompleted)
            let outcomes = refreshes { Apps.unfinishedRefresh() }
            #expect(!outcomes.isEmpty && notes.isEmpty)
        }

        @Test("a month of an app with a timer in front and refreshes between is the same for a seed, byte for byte")
        func month() throws {
            func log(seed: UInt64) throws -> String {
                try SimulatedDevice.run(seed: seed) { device in
                    let manifest = AppManifest(
                        backgroundModes: [.fetch], permittedTaskIdentifiers: ["com.example.refresh"], usesScenes: false)
                    SimulatedPhone.install(
                        on: device, manifest: manifest, program: { SimulatedPhone.run(MonthDelegate()) })
                    for _ in 0..<30 {
                        device.open()
                        device.advance(by: .seconds(60))
                        device.pressHome()
                        device.advance(by: .seconds(86_340))
                    }
                    #expect(device.launchCount == 1)
                    return device.logText
                }
            }
            let first = try log(seed: 1)
            #expect(first.contains("note: \(30 * 120 - 30) ticks") || first.contains("note: \(30 * 120) ticks"))
            #expect(first.split(separator: "\n").count { $0.hasSuffix("note: refreshed") } >= 20)
            #expect(try log(seed: 1) == first)
            #expect(try log(seed: 2) != first)
        }

        // MARK: Trips

        private func walk() {
            device.location.userAnswer = .always
            device.location.setRoute(
                .steps(
                    (0...60).map { step in
                        (.seconds(10), LocationRoute.Place(latitude: Double(step) / 1_000, longitude: 0))
                    }))
            device.launch()
            device.advance(by: .seconds(101))
            device.pressHome()
            device.advance(by: .seconds(400))
        }

        @Test("a trip with updates in the background has all positions, and the sum of their distances")
        func trip() {
            install([.location]) { Apps.trip() }
            walk()
            #expect(device.host?.phase == .background)
            // Each position is a thousandth of a degree, or 111.195 m, from the one before.
            #expect(notes.count == 50 && notes.last == "\(Int((49 * 111.195).rounded())) m")
        }

        @Test("a trip without updates in the background has none there, and then positions that are not new")
        func forgetfulTrip() {
            install([.location]) { Apps.forgetfulTrip() }
            walk()
            #expect(device.host?.phase == .suspended)
            #expect(notes.last == "position 10")
            device.open()
            // The positions that were missed arrive at once, with their old instants.
            #expect(notes.last == "position 50")
        }

        // MARK: Players

        @Test("a player for playback continues in the background, and its label counts the seconds of each item")
        func player() {
            install([.audio]) { Apps.player() }
            device.launch()
            device.advance(by: .seconds(65))
            #expect(notes.last == "01:05")
            device.pressHome()
            device.advance(by: .seconds(35))
            #expect(device.host?.phase == .background)
            #expect(notes.last == "00:10" && notes.count { $0 == "end" } == 1)
        }

        @Test("a player without the category for playback stops when the user leaves the app")
        func silentPlayer() {
            install([.audio]) { Apps.silentPlayer() }
            device.launch()
            device.advance(by: .seconds(65))
            #expect(notes.last == "01:05")
            device.pressHome()
            device.advance(by: .seconds(60))
            #expect(device.host?.phase == .suspended)
            // The app runs only for the few seconds that a phone needs to suspend it.
            #expect(notes.count < 72)
        }

        // MARK: Animations

        @Test(
            "a ball that is moved by a step in each frame is half as fast with half the frames, and stops in a scroll")
        func steppedBall() {
            install { Apps.steppedBall() }
            device.launch()
            device.advance(by: .seconds(10))
            #expect(notes.last == "600")
            device.scroll(for: .seconds(5))
            // Of the frames that were missed, the latest is delivered afterwards.
            #expect(notes.last == "602")
        }

        @Test("a ball that is moved by the frames' times is as fast with any rate, and where it should be afterwards")
        func timedBall() throws {
            install { Apps.timedBall() }
            device.launch()
            func position() throws -> Int { try #require(notes.last.flatMap { Int($0) }) }
            device.advance(by: .seconds(10))
            #expect(try abs(position() - 1_200) < 5)
            device.scroll(for: .seconds(5))
            #expect(try abs(position() - 1_800) < 5)
            device.pressHome()
            device.advance(by: .seconds(60))
            device.open()
            device.advance(by: .seconds(1))
            #expect(try abs(position() - 76 * 120) < 5)
        }
    }
#endif
