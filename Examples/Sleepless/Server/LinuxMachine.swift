import ApusBackground
import ApusFoundation
import ApusLinux
import ApusTimers
import Foundation
import HTTPTypes
import Logging
import LoopbackWeb
import SleeplessApp

/// The app in this process, in which SIGTERM has the effect of a phone's Home button.
@MainActor
final class LinuxMachine: Stage {
    let feed = ScreenFeed()
    let host: LinuxHost

    private let app: App
    private let home: HomeFolder
    private let notices: DesktopNotices
    private var phases: ObservationToken?
    private var clock: RepeatingTimer?

    /// Creates the app with its host.
    ///
    /// - Parameters:
    ///   - home: The folder of the records.
    ///   - logger: The log of the library.
    /// - Throws: ``HomeFolder/Failure`` if another process has `home`, or if it cannot be written.
    init(home: URL, logger: Logger) throws {
        self.home = try HomeFolder(home)
        host = LinuxHost(logger: logger)
        notices = DesktopNotices(DesktopNotifier(appName: "Sleepless"))
        let store = try FileRecordStore(folder: self.home.records)
        app = try App(
            Services(
                host: host, store: store,
                notifications: ProcessNotificationScheduler(
                    showing: notices, on: host, logger: logger),
                audio: nil, location: nil,
                jobs: try HostBackgroundJobs(host: host, store: store, logger: logger), tracks: [],
                block: { [time = host.engine.time] duration in
                    let end = time.continuous().advanced(by: duration)
                    while time.continuous() < end {}
                }))
        feed.screen = { [unowned self] in screen() }
        show(app)
        phases = host.observePhase { [weak self] phase in
            self?.feed.changed()
            // In the background, the page is updated regularly, because it shows the remaining time.
            if phase == .background { self?.clock?.resume() }
        }
        clock = try RepeatingTimer(every: .milliseconds(500), engine: host.engine) {
            [weak self, mainLoop = host.mainLoop] _ in
            mainLoop.run { [weak self] in self?.feed.changed() }
        }
    }

    func screen() -> Screen {
        Screen(
            revision: feed.revision, host: "linux", device: nil,
            linux: LinuxScreen(host, notifications: notices.summary), app: app.snapshot())
    }

    func appInFront() throws(WebError) -> App {
        guard host.phase == .active else { throw Self.notInFront }
        return app
    }

    func settle() {}

    func control(_ name: String, _ arguments: Arguments) async throws {
        throw WebError(.notFound, code: "notFound", message: "there is no simulated device with --host linux")
    }

    var lastLine: Int { 0 }

    func log(after: Int) -> LogPage { LogPage(events: [], next: after) }
}
