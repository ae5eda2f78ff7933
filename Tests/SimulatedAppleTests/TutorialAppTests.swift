import ApusBackground
import ApusTesting
import ApusTimers
import Foundation
import SimulatedPhone
import Testing
import Tutorials
import UIKit

/// Holds what an app consists of besides its delegate.
private final class HoldingDelegate: UIResponder, UIApplicationDelegate {
    let held: AnyObject

    init(_ held: AnyObject) {
        self.held = held
        super.init()
    }
}

extension SimulatedAppleTests {
    /// Apps of tutorials, as far as they follow virtual time in the test's own process: their timers and dates do not.
    @MainActor
    @Suite("The apps of tutorials")
    struct TutorialApps {
        /// Launches an app that consists of one object.
        private func run<Held: AnyObject>(
            _ manifest: AppManifest = AppManifest(), _ make: @escaping @MainActor @Sendable () -> Held,
            _ body: (SimulatedDevice, () throws -> Held) throws -> Void
        ) throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(
                    on: device, manifest: manifest, trackDurations: ["one.m4a": .seconds(90)],
                    delegate: HoldingDelegate(make()))
                device.location.setRoute(
                    .steps(
                        (0...60).map { step in
                            (.seconds(10), LocationRoute.Place(latitude: Double(step) / 1_000, longitude: 0))
                        }))
                device.launch()
                try body(device) { try #require((device.app as? HoldingDelegate)?.held as? Held) }
            }
        }

        // MARK: Uploads

        @Test("an upload that ends its task when the time is over is suspended")
        func upload() throws {
            try run {
                UploadModel()
            } _: { device, _ in
                device.pressHome()
                device.advance(by: .seconds(60))
                #expect(device.has(.claimsExpired(1)))
                #expect(device.host?.phase == .suspended)
                #expect(device.ends.isEmpty)
            }
        }

        @Test("an upload that forgets to end its task ends the app")
        func leakyUpload() throws {
            try run {
                LeakyUploadModel()
            } _: { device, _ in
                device.expect(.claimNotEnded)
                device.pressHome()
                device.advance(by: .seconds(60))
                #expect(device.ends.count == 1)
            }
        }

        // MARK: Refreshes

        /// How often an app is refreshed in the days after it was used.
        private func refreshes(
            patience: Duration, fault: Fault.Rule? = nil,
            _ make: @escaping @MainActor @Sendable (Notes) -> any UIApplicationDelegate
        ) throws -> (noted: Int, outcomes: [BackgroundJobRecord.Outcome?]) {
            try SimulatedDevice.run { device in
                let notes = Notes()
                if let fault { device.expect(fault) }
                let manifest = AppManifest(
                    backgroundModes: [.fetch], permittedTaskIdentifiers: ["com.example.refresh"])
                SimulatedPhone.install(on: device, manifest: manifest, patience: patience, delegate: make(notes))
                device.launch()
                device.advance(by: .seconds(600))
                device.pressHome()
                device.advance(by: .seconds(2 * 86_400))
                return (notes.all.count, device.jobs.report.runs.map(\.outcome))
            }
        }

        @Test("an app that asks for the next refresh in each one is refreshed again and again")
        func refresh() throws {
            let (noted, outcomes) = try refreshes(patience: .seconds(5)) { notes in
                let delegate = RefreshAppDelegate()
                delegate.downloadTime = 0
                delegate.onRefresh = { notes.add("refreshed") }
                return delegate
            }
            #expect(noted >= 4)
            #expect(outcomes == Array(repeating: .succeeded, count: noted))
        }

        @Test("an app that asks for a refresh only when the user leaves it is refreshed once")
        func forgetfulRefresh() throws {
            let (noted, outcomes) = try refreshes(patience: .seconds(5)) { notes in
                let delegate = ForgetfulAppDelegate()
                delegate.downloadTime = 0
                delegate.onRefresh = { notes.add("refreshed") }
                return delegate
            }
            #expect(noted == 1)
            #expect(outcomes == [.succeeded])
        }

        @Test("an app that does not complete its task when the time is over is a fault")
        func unfinishedRefresh() throws {
            let (noted, _) = try refreshes(patience: .milliseconds(1), fault: .jobNotCompleted) { notes in
                let delegate = UnfinishedAppDelegate()
                delegate.onRefresh = { notes.add("refreshed") }
                return delegate
            }
            #expect(noted == 0)
        }

        // MARK: Trips

        private static let travels = AppManifest(backgroundModes: [.location])

        @Test("a trip with updates in the background has all positions, and the sum of their distances")
        func trip() throws {
            try run(Self.travels) {
                TripRecorder()
            } _: { device, recorder in
                try recorder().start()
                device.advance(by: .seconds(101))
                device.pressHome()
                device.advance(by: .seconds(400))
                #expect(device.host?.phase == .background)
                #expect(try recorder().count == 50)
                // From one to the next it is a thousandth of a degree.
                #expect(try abs(recorder().distance - 49 * 111.195) < 1)
                #expect(try recorder().lastError != nil, "the phone has no fix at first")
            }
        }

        @Test("a trip without updates in the background has no positions there")
        func forgetfulTrip() throws {
            try run(Self.travels) {
                ForgetfulTripRecorder()
            } _: { device, recorder in
                try recorder().start()
                device.advance(by: .seconds(101))
                device.pressHome()
                device.advance(by: .seconds(400))
                #expect(device.host?.phase == .suspended)
                #expect(try recorder().count == 10)
            }
        }

        // MARK: Players

        private static let tracks = ["one.m4a", "two.m4a"].map { URL(fileURLWithPath: "/music/\($0)") }
        private static let listens = AppManifest(backgroundModes: [.audio])

        @Test("a player for playback goes on in the background, and its label counts the seconds of each item")
        func player() throws {
            try run(Self.listens) {
                QueuePlayer(urls: Self.tracks)
            } _: { device, player in
                try player().play()
                device.advance(by: .seconds(65))
                #expect(try player().text == "01:05")
                device.pressHome()
                device.advance(by: .seconds(35))
                #expect(device.host?.phase == .background)
                #expect(try player().isPlaying)
                #expect(try player().text == "00:10")
                #expect(try player().finished == 1)
                try player().pause()
                device.advance(by: .seconds(10))
                #expect(try player().text == "00:10")
            }
        }

        @Test("a player without the category for playback stops when the user leaves the app")
        func silentPlayer() throws {
            try run(Self.listens) {
                SilentQueuePlayer(urls: Self.tracks)
            } _: { device, player in
                try player().play()
                device.advance(by: .seconds(65))
                #expect(try player().text == "01:05")
                device.pressHome()
                device.advance(by: .seconds(60))
                #expect(device.host?.phase == .suspended)
                #expect(try !player().isPlaying)
            }
        }

        // MARK: Animations

        @Test("a ball that is moved by a step in each frame is half as fast with half the frames, and has gaps")
        func steppedBall() throws {
            try run {
                SteppedBall()
            } _: { device, ball in
                try ball().start(framesPerSecond: 30)
                device.advance(by: .seconds(10))
                #expect(try ball().position == 600)
                device.scroll(for: .seconds(5))
                // The latest of those that were missed comes afterwards.
                #expect(try ball().position == 602)
                device.pressHome()
                device.advance(by: .seconds(10))
                let suspended = try ball().position
                device.advance(by: .seconds(60))
                device.open()
                #expect(try ball().position <= suspended + 2)
            }
        }

        @Test("a ball that is moved by the frames' times is as fast with any rate, and where it should be afterwards")
        func timedBall() throws {
            try run {
                TimedBall()
            } _: { device, ball in
                try ball().start(framesPerSecond: 30)
                device.advance(by: .seconds(10))
                #expect(try abs(ball().position - 1_200) < 5)
                device.scroll(for: .seconds(5))
                #expect(try abs(ball().position - 1_800) < 5)
                device.pressHome()
                device.advance(by: .seconds(60))
                device.open()
                device.advance(by: .seconds(1))
                #expect(try abs(ball().position - 76 * 120) < 5)
            }
        }
    }
}
