#if os(Linux)
    import ActivityKit
    import AppIntents
    import ApusBackground
    import ApusDevice
    import ApusTestTraits
    import ApusTimers
    import Foundation
    import SimulatedAppleCore
    import Testing
    import UIKit

    private enum Drink: String, AppEnum, Codable {
        case water, tea

        static let typeDisplayRepresentation: TypeDisplayRepresentation = "Drink"
        static let caseDisplayRepresentations: [Drink: DisplayRepresentation] = [.water: "Water", .tea: "Tea"]
    }

    /// A cup of the app, which only the app's process can find.
    private struct Cup: AppEntity, Codable {
        struct Query: EntityQuery {
            @Dependency var store: CupStore

            func entities(for identifiers: [Int]) async throws -> [Cup] {
                identifiers.filter { store.cups.contains($0) }.map { Cup(id: $0) }
            }
        }

        static let defaultQuery = Query()
        static let typeDisplayRepresentation: TypeDisplayRepresentation = "Cup"

        let id: Int
        var displayRepresentation: DisplayRepresentation { DisplayRepresentation(title: "Cup \(id)") }
    }

    private final class CupStore: Sendable {
        let cups = [1, 2]
    }

    private struct LogDrink: AppIntent {
        static let title: LocalizedStringResource = "Log a drink"
        static let description = IntentDescription("Writes down what you drink")
        static var parameterSummary: some ParameterSummary { Summary("Log \(\.$amount) ml of \(\.$drink)") { \.$cup } }

        @Parameter(title: "Amount", default: 200, inclusiveRange: (50, 1_000)) var amount: Int
        @Parameter(title: "Drink") var drink: Drink
        @Parameter(title: "Cup") var cup: Cup?
        @Parameter(title: "Notes") var notes: [String]

        init() {}

        init(_ amount: Int, _ drink: Drink, cup: Int? = nil, notes: [String] = []) {
            self.amount = amount
            self.drink = drink
            self.cup = cup.map { Cup(id: $0) }
            self.notes = notes
        }

        func perform() async throws -> some IntentResult & ReturnsValue<Int> & ProvidesDialog {
            SimulatedPhone.note("\(amount) ml of \(drink), cup \(cup?.id ?? 0), \(notes), main \(Thread.isMainThread)")
            try await Task.sleep(for: .seconds(2))
            return .result(value: amount, dialog: "Logged \(amount) ml.")
        }
    }

    /// Notes where it is performed, and begins a Live Activity.
    private struct ShowRide: LiveActivityIntent {
        struct Ride: ActivityAttributes {
            struct ContentState: Codable, Hashable { var minutes: Int }
        }

        static let title: LocalizedStringResource = "Show a ride"

        @MainActor
        func perform() async throws -> some IntentResult {
            SimulatedPhone.note(Thread.isMainThread ? "on the main thread" : "on another thread")
            let content = ActivityContent(state: Ride.ContentState(minutes: 5), staleDate: nil)
            _ = try Activity.request(attributes: Ride(), content: content)
            return .result()
        }
    }

    /// Does the same as ``ShowRide``, but is no `LiveActivityIntent`.
    private struct HideRide: AppIntent {
        static let title: LocalizedStringResource = "Hide a ride"

        func perform() async throws -> some IntentResult {
            let content = ActivityContent(state: ShowRide.Ride.ContentState(minutes: 5), staleDate: nil)
            _ = try Activity.request(attributes: ShowRide.Ride(), content: content)
            return .result()
        }
    }

    /// Works for a number of seconds, and lets itself be cancelled.
    private struct Work: AppIntent {
        static let title: LocalizedStringResource = "Work"
        static let authenticationPolicy = IntentAuthenticationPolicy.requiresAuthentication

        @Parameter(title: "Seconds", default: 60) var seconds: Int

        init() {}
        init(seconds: Int) { self.seconds = seconds }

        func perform() async throws -> some IntentResult {
            try await Task.sleep(for: .seconds(seconds))
            return .result(opensIntent: LogDrink(seconds, .water))
        }
    }

    /// Works for a minute, and cleans up for three seconds when it is cancelled.
    private struct TidyWork: CancellableIntent {
        static let title: LocalizedStringResource = "Tidy work"

        func perform() async throws -> some IntentResult {
            try? await withIntentCancellationHandler {
                try await Task.sleep(for: .seconds(60))
            } onCancel: {
                SimulatedPhone.note("cancelled: \($0)")
            }
            // The task is cancelled, so it cannot sleep.
            await Task { try? await Task.sleep(for: .seconds(3)) }.value
            SimulatedPhone.note("tidy")
            return .result()
        }
    }

    /// Uploads for a number of seconds, and reports its progress in the first of them.
    private struct Upload: LongRunningIntent, CancellableIntent {
        static let title: LocalizedStringResource = "Upload"

        @Parameter(title: "Seconds") var seconds: Int
        @Parameter(title: "Seconds with progress") var reported: Int

        init() {}
        init(seconds: Int, reported: Int) { (self.seconds, self.reported) = (seconds, reported) }

        func perform() async throws -> some IntentResult & ReturnsValue<String> {
            let text = try await performBackgroundTask {
                progress.totalUnitCount = Int64(seconds)
                progress.localizedDescription = "Uploading"
                for second in 1...seconds {
                    try await Task.sleep(for: .seconds(1))
                    if second <= reported { progress.completedUnitCount = Int64(second) }
                }
                return "uploaded"
            } onCancel: { reason in
                SimulatedPhone.note("cancelled: \(reason)")
            }
            return .result(value: text)
        }
    }

    /// Opens the app before its action.
    private struct OpenDrinks: AppIntent {
        static let title: LocalizedStringResource = "Open the drinks"
        static let openAppWhenRun = true

        @MainActor
        func perform() async throws -> some IntentResult {
            SimulatedPhone.note("\(UIApplication.shared.applicationState == .active)")
            return .result()
        }
    }

    /// Opens the app when its action has ended.
    private struct CountDrinks: AppIntent {
        static let title: LocalizedStringResource = "Count the drinks"
        static let supportedModes: IntentModes = [.background, .foreground(.deferred)]

        func perform() async throws -> some IntentResult {
            SimulatedPhone.note("\(systemContext.currentMode == .foreground)")
            return .result()
        }
    }

    /// Asks to continue in the app.
    private struct AskInApp: ForegroundContinuableIntent {
        static let title: LocalizedStringResource = "Ask in the app"

        func perform() async throws -> some IntentResult {
            SimulatedPhone.note("\(systemContext.currentMode == .foreground)")
            try await requestToContinueInForeground("Open the app?")
            SimulatedPhone.note("\(systemContext.currentMode == .foreground)")
            return .result()
        }
    }

    /// An app with intents.
    private final class DrinksApp: UIResponder, UIApplicationDelegate {
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            AppDependencyManager.shared.add(dependency: CupStore())
            return true
        }
    }

    @MainActor
    @Suite("App Intents", .simulatedPhone(), .serialized)
    struct IntentTests {
        private func device() throws -> SimulatedDevice {
            let device = try #require(SimulatedDevice.current)
            SimulatedPhone.install(on: device, program: { SimulatedPhone.run(DrinksApp()) })
            return device
        }

        @Test("an app that does not run is started in the background for an intent, and suspended when it has finished")
        func started() throws {
            let device = try device()
            SimulatedPhone.perform(LogDrink(250, .tea, cup: 2, notes: ["hot"]), on: device)
            #expect(device.intents.all.map(\.state) == [.running])
            device.advance(by: .seconds(10))
            let run = try #require(device.intents.all.last)
            #expect(run.state == .finished && run.value == "250" && run.dialog == "Logged 250 ml.")
            #expect(device.notes == ["250 ml of tea, cup 2, [\"hot\"], main false"])
            #expect(device.host?.phase == .suspended)
            let log = device.logText
            #expect(log.contains("launched: App Intent “Log a drink”") && !log.contains("phase active"))
            let lines = ["is run from Shortcuts", "is performed", "has finished"]
            #expect(lines.allSatisfy { log.contains("SimulatedIntents: “Log a drink” \($0)") })
        }

        @Test("a suspended app is resumed for an intent, and one in front performs it there")
        func resumed() throws {
            let device = try device()
            device.launch()
            SimulatedPhone.perform(LogDrink(1, .water), on: device)
            device.pressHome()
            device.advance(by: .seconds(60))
            #expect(device.host?.phase == .suspended)
            SimulatedPhone.perform(LogDrink(2, .water), on: device)
            #expect(device.host?.phase == .background)
            device.advance(by: .seconds(60))
            #expect(device.host?.phase == .suspended && device.intents.all.map(\.state) == [.finished, .finished])
            #expect(device.log.count { if case .launched = $0.what { true } else { false } } == 1)
        }

        @Test("an intent of the main actor is performed on the main thread")
        func mainActor() throws {
            let device = try device()
            SimulatedPhone.perform(ShowRide(), on: device)
            device.advance(by: .seconds(1))
            #expect(device.notes == ["on the main thread"] && device.intents.all.map(\.state) == [.finished])
        }

        @Test("a LiveActivityIntent begins a Live Activity in the background, and another intent does not")
        func liveActivity() throws {
            let device = try device()
            SimulatedPhone.perform(HideRide(), on: device)
            device.advance(by: .seconds(1))
            #expect(device.activities.all.isEmpty && device.intents.all.map(\.state) == [.failed("visibility")])
            SimulatedPhone.perform(ShowRide(), from: .controlCenter, on: device)
            device.advance(by: .seconds(1))
            #expect(device.activities.all.map(\.state) == [.active])
        }

        @Test("an intent has 30 s; then its task is cancelled, the caller gets no result, and the app is suspended")
        func timeLimit() throws {
            let device = try device()
            SimulatedPhone.perform(Work(seconds: 40), on: device)
            device.advance(by: .seconds(29))
            #expect(device.intents.all.map(\.state) == [.running])
            device.advance(by: .seconds(5))
            #expect(device.intents.all.map(\.state) == [.timedOut] && device.host?.phase == .suspended)
            #expect(device.warnings.contains { $0.contains("“Work” is cancelled, because its time is over") })
        }

        @Test("a CancellableIntent gets the reason, and a few seconds to clean up", arguments: [true, false])
        func cleanUp(byUser: Bool) throws {
            let device = try device()
            SimulatedPhone.perform(TidyWork(), from: .siri, on: device)
            device.advance(by: .seconds(20))
            if byUser { device.cancelIntent() } else { device.advance(by: .seconds(11)) }
            #expect(device.intents.all.map(\.state) == [byUser ? .userCancelled : .timedOut])
            device.advance(by: .seconds(10))
            #expect(device.notes == ["cancelled: \(byUser ? "userCancelled" : "timeout")", "tidy"])
            #expect(device.host?.phase == .suspended)
        }

        @Test("a LongRunningIntent may take minutes while it reports progress")
        func longRunning() throws {
            let device = try device()
            SimulatedPhone.perform(Upload(seconds: 180, reported: 180), on: device)
            device.advance(by: .seconds(90))
            let done = try #require(device.intents.all.first?.fractionCompleted)
            #expect((89...90).contains((done * 180).rounded()))
            device.advance(by: .seconds(100))
            #expect(device.intents.all.map(\.state) == [.finished] && device.host?.phase == .suspended)
        }

        @Test("a LongRunningIntent is cancelled after 30 s without progress, with the reason timeout")
        func stalled() throws {
            let device = try device()
            SimulatedPhone.perform(Upload(seconds: 180, reported: 60), on: device)
            device.advance(by: .seconds(89))
            #expect(device.intents.all.map(\.state) == [.running])
            device.advance(by: .seconds(2))
            #expect(device.intents.all.map(\.state) == [.timedOut] && device.notes == ["cancelled: timeout"])
        }

        @Test("before iOS 27 a LongRunningIntent gets no more time", .simulatedPhone(policy: .iOS26))
        func beforeLongRunning() throws {
            let device = try device()
            SimulatedPhone.perform(Upload(seconds: 180, reported: 180), on: device)
            device.advance(by: .seconds(31))
            #expect(device.intents.all.map(\.state) == [.timedOut])
            #expect(device.warnings.contains { $0.contains("there is no LongRunningIntent before iOS 27") })
        }

        @Test("an intent starts an app that was force-quit, which stays so for refreshes and pushes")
        func forceQuit() throws {
            let device = try device()
            device.launch()
            device.swipeAway()
            SimulatedPhone.perform(LogDrink(3, .tea), from: .widget, on: device)
            device.advance(by: .seconds(60))
            #expect(device.intents.all.map(\.state) == [.finished])
            device.kill()
            device.receivePush()
            #expect(device.host == nil)
        }

        private static var withoutForceQuit: SystemPolicy {
            var policy = SystemPolicy()
            policy.intents.launchesAfterForceQuit = false
            return policy
        }

        @Test(
            "by another policy, an intent does not start an app that was force-quit",
            .simulatedPhone(policy: withoutForceQuit))
        func notAfterForceQuit() throws {
            let device = try device()
            device.launch()
            device.swipeAway()
            SimulatedPhone.perform(LogDrink(3, .tea), on: device)
            #expect(device.intents.all.map(\.state) == [.refused("the app could not be started")])
        }

        @Test("a force quit ends an intent with its process, without a result")
        func forceQuitMeanwhile() throws {
            let device = try device()
            device.launch()
            device.pressHome()
            SimulatedPhone.perform(TidyWork(), on: device)
            device.advance(by: .seconds(5))
            device.swipeAway()
            device.advance(by: .seconds(60))
            #expect(device.intents.all.map(\.state) == [.processEnded] && device.notes.isEmpty)
            SimulatedPhone.perform(LogDrink(3, .tea), on: device)
            device.advance(by: .seconds(5))
            #expect(device.intents.all.last?.state == .finished)
        }

        @Test("on a locked device neither widgets nor intents that require authentication run, and others do")
        func locked() throws {
            let device = try device()
            device.lock()
            SimulatedPhone.perform(LogDrink(1, .tea), from: .widget, on: device)
            SimulatedPhone.perform(Work(seconds: 1), on: device)
            SimulatedPhone.perform(LogDrink(1, .tea), on: device)
            device.advance(by: .seconds(10))
            let refused = IntentRun.State.refused("the device is locked")
            #expect(device.intents.all.map(\.state) == [refused, refused, .finished])
            device.reboot()
            SimulatedPhone.perform(LogDrink(1, .tea), on: device)
            #expect(device.intents.all.last?.state == .refused("the app could not be started"))
        }

        @Test("an intent with openAppWhenRun is performed when the app is active, and one of the mode deferred before")
        func opens() throws {
            let device = try device()
            SimulatedPhone.perform(CountDrinks(), on: device)
            device.advance(by: .seconds(1))
            #expect(device.notes == ["false"] && device.host?.phase == .active)
            device.pressHome()
            device.advance(by: .seconds(60))
            SimulatedPhone.perform(OpenDrinks(), on: device)
            device.advance(by: .seconds(1))
            #expect(device.notes == ["false", "true"] && device.host?.phase == .active)
            #expect(device.intents.all.map(\.state) == [.finished, .finished])
        }

        @Test("an intent continues in the foreground if the user allows it", arguments: [true, false])
        func continues(isAllowed: Bool) throws {
            let device = try device()
            device.intents.continuesInForeground = isAllowed
            SimulatedPhone.perform(AskInApp(), on: device)
            device.advance(by: .seconds(5))
            #expect(device.notes == (isAllowed ? ["false", "true"] : ["false"]))
            #expect(device.intents.all.map(\.state) == [isAllowed ? .finished : .failed("foregroundRefused")])
        }

        @Test("the intent in a result is run next")
        func next() throws {
            let device = try device()
            SimulatedPhone.perform(Work(seconds: 3), on: device)
            device.advance(by: .seconds(10))
            #expect(device.intents.all.map(\.title) == ["Work", "Log a drink"])
            #expect(device.intents.all.map(\.state) == [.finished, .finished])
        }

        @Test("an intent without a value or with an unknown entity is not performed")
        func wrongParameters() throws {
            let device = try device()
            SimulatedPhone.perform(LogDrink(), on: device)
            SimulatedPhone.perform(LogDrink(1, .tea, cup: 3), on: device)
            device.advance(by: .seconds(1))
            let missing = "it has no value for drink, notes, for which a phone asks the user"
            #expect(device.intents.all.map(\.state) == [.refused(missing), .failed("entityNotFound(\"3\")")])
        }

        @Test("an app in the test's process performs intents too")
        func inTestProcess() async throws {
            let device = try #require(SimulatedDevice.current)
            SimulatedPhone.install(on: device, delegate: DrinksApp())
            SimulatedPhone.perform(CountDrinks(), on: device)
            #expect(device.notes == ["false"] && device.intents.all.map(\.state) == [.finished])
            device.pressHome()
            await device.advance(by: .seconds(10))
            SimulatedPhone.perform(ShowRide(), on: device)
            await device.advance(by: .seconds(10))
            #expect(device.activities.all.count == 1 && device.intents.all.last?.state == .finished)
            #expect(device.host?.phase == .suspended)
        }

        @Test("the task of an intent in the test's process is cancelled too")
        func cancelledInTestProcess() async throws {
            let device = try #require(SimulatedDevice.current)
            SimulatedPhone.install(on: device, delegate: DrinksApp())
            SimulatedPhone.perform(Work(seconds: 1_000), on: device)
            await device.advance(by: .seconds(10))
            device.cancelIntent()
            await device.advance(by: .seconds(1))
            #expect(device.intents.all.map(\.state) == [.userCancelled])
            #expect(device.logText.contains("“Work” has returned after its cancellation"))
        }
    }
#endif
