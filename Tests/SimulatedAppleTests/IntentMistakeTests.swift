#if os(Linux) && SQLite
    import AppIntents
    import ApusBackground
    import ApusDevice
    import ApusTestTraits
    import Foundation
    import GRDB
    import SimulatedAppleCore
    import Testing
    import UIKit

    private let group = "group.com.example.steps"

    private func openSteps() throws -> DatabaseQueue {
        let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)
        let path = folder?.appending(path: "steps.sqlite").path(percentEncoded: false) ?? ""
        let database = try DatabaseQueue(path: path)
        try database.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS step (number)") }
        return database
    }

    private func insert(_ db: Database) throws {
        for number in 1...500 {
            try db.execute(sql: "INSERT INTO step VALUES (?)", arguments: [number])
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    /// Writes steps into the group's database; returns while it still writes, unless it is mended.
    private struct SaveSteps: AppIntent {
        static let title: LocalizedStringResource = "Save my steps"

        @Parameter(title: "Is mended") var isMended: Bool

        init() {}
        init(isMended: Bool) { self.isMended = isMended }

        func perform() async throws -> some IntentResult & ProvidesDialog {
            let database = try openSteps()
            if isMended {
                try await database.write { try insert($0) }
            } else {
                Task { try await database.write { try insert($0) } }
            }
            return .result(dialog: "Saved.")
        }
    }

    /// Sends photos for two minutes; ignores its cancellation, and reports no progress, unless it is mended.
    private struct SendPhotos: LongRunningIntent {
        static let title: LocalizedStringResource = "Send my photos"

        @Parameter(title: "Is mended") var isMended: Bool

        init() {}
        init(isMended: Bool) { self.isMended = isMended }

        func perform() async throws -> some IntentResult {
            try await performBackgroundTask {
                progress.totalUnitCount = 12
                for photo in 1...12 {
                    if isMended { try Task.checkCancellation() }
                    // Stands for a library that knows nothing of tasks.
                    await withCheckedContinuation { sent in
                        DispatchQueue.global().asyncAfter(deadline: .now() + 10) { sent.resume() }
                    }
                    if isMended { progress.completedUnitCount = Int64(photo) }
                    SimulatedPhone.note("photo \(photo)")
                }
            }
            return .result()
        }
    }

    private final class Diary: Sendable {
        let entries = ["yesterday"]
    }

    /// Reads the journal that the app has opened.
    private struct ReadJournal: AppIntent {
        static let title: LocalizedStringResource = "Read my journal"

        @Dependency var diary: Diary

        func perform() async throws -> some IntentResult & ProvidesDialog {
            .result(dialog: "You wrote: \(diary.entries[0])")
        }
    }

    /// Opens the journal when the user sees the app, or, if it is mended, when the app is launched.
    private final class JournalApp: UIResponder, UIApplicationDelegate {
        private let isMended: Bool

        init(isMended: Bool) { self.isMended = isMended }

        private func open() { AppDependencyManager.shared.add(dependency: Diary()) }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            if isMended { open() }
            return true
        }

        func applicationDidBecomeActive(_ application: UIApplication) { if !isMended { open() } }
    }

    @MainActor
    @Suite("Mistakes of App Intents", .simulatedPhone(), .serialized)
    struct IntentMistakeTests {
        private func device(_ program: @escaping @convention(c) () -> Void) throws -> SimulatedDevice {
            let device = try #require(SimulatedDevice.current)
            let manifest = AppManifest(usesScenes: false, appGroups: [group])
            SimulatedPhone.install(on: device, manifest: manifest, program: program)
            return device
        }

        @Test("an intent that returns while it writes to a group's database ends the app; one that waits does not")
        func write() throws {
            let device = try device { SimulatedPhone.run(JournalApp(isMended: true)) }
            device.expect(.fileLockHeld)
            SimulatedPhone.perform(SaveSteps(isMended: true), on: device)
            device.advance(by: .seconds(10))
            #expect(device.intents.all.map(\.state) == [.finished] && device.host?.phase == .suspended)
            #expect(device.faults.isEmpty)
            SimulatedPhone.perform(SaveSteps(isMended: false), on: device)
            device.advance(by: .seconds(10))
            #expect(device.faults.map(\.rule) == [.fileLockHeld] && device.host == nil)
        }

        @Test("long work that ignores its cancellation is suspended in the middle; with progress it is finished")
        func ignoredCancellation() throws {
            let device = try device { SimulatedPhone.run(JournalApp(isMended: true)) }
            device.expect(.intentNotEnded)
            SimulatedPhone.perform(SendPhotos(isMended: true), on: device)
            device.advance(by: .seconds(130))
            #expect(device.intents.all.map(\.state) == [.finished] && device.notes.count == 12)
            SimulatedPhone.perform(SendPhotos(isMended: false), on: device)
            device.advance(by: .seconds(3_600))
            #expect(device.intents.all.last?.state == .timedOut && device.notes.count == 15)
            #expect(device.faults.map(\.rule) == [.intentNotEnded] && device.host?.phase == .suspended)
        }

        @Test("an app that prepares its intents when it becomes active crashes in an intent after a force quit")
        func unprepared() throws {
            let device = try device { SimulatedPhone.run(JournalApp(isMended: false)) }
            device.expect(.appProcessCrash)
            device.launch()
            SimulatedPhone.perform(ReadJournal(), on: device)
            device.advance(by: .seconds(1))
            #expect(device.intents.all.map(\.state) == [.finished])
            device.swipeAway()
            SimulatedPhone.perform(ReadJournal(), on: device)
            device.advance(by: .seconds(1))
            #expect(device.intents.all.map(\.state) == [.finished, .processEnded])
            #expect(device.faults.first?.message.contains("there is no Diary") == true)
        }

        @Test("an app that prepares its intents when it is launched performs them after a force quit")
        func prepared() throws {
            let device = try device { SimulatedPhone.run(JournalApp(isMended: true)) }
            device.launch()
            device.swipeAway()
            SimulatedPhone.perform(ReadJournal(), from: .siri, on: device)
            device.advance(by: .seconds(1))
            #expect(device.intents.all.map(\.dialog) == ["You wrote: yesterday"])
        }
    }
#endif
