import ApusBackground
import ApusFoundation
import ApusJobs
import ApusLinux
import ApusTimers
import Foundation
import HTTPTypes
import Logging
import LoopbackWeb
import SleeplessApp

/// The app in this process: SIGTERM is Home.
@MainActor
final class LinuxMachine: Stage {
    let feed = ScreenFeed()
    let host: LinuxHost

    private let app: App
    private let notifications: String
    private var phases: Observation?
    private var clock: RepeatingTimer?

    /// - Parameters:
    ///   - home: Where records and sounds are kept.
    ///   - logger: For the library.
    /// - Throws: ``BackgroundError`` when `home` cannot be written.
    init(home: URL, logger: Logger) throws {
        host = LinuxHost(logger: logger)
        let store = try FileRecordStore(folder: home.appending(path: "records", directoryHint: .isDirectory))
        let tracks = try Self.writeTracks(home.appending(path: "cache", directoryHint: .isDirectory))
        app = try App(
            Services(
                host: host, store: store,
                notifications: ProcessNotificationScheduler(
                    showing: DesktopNotifier(appName: "Sleepless"), on: host, logger: logger),
                audio: MPVAudioPlayer(host: host, logger: logger),
                location: GPSDLocationSource(host: host, logger: logger),
                jobs: try HostBackgroundJobs(host: host, store: store, logger: logger), tracks: tracks))
        notifications = "the desktop's, while this process runs"
        feed.screen = { [unowned self] in screen() }
        show(app)
        phases = host.observePhase { [weak self] phase in
            self?.feed.changed()
            // The time that is left is seen running.
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
            linux: LinuxScreen(host, notifications: notifications), app: app.snapshot())
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

    /// mpv plays files.
    private static func writeTracks(_ folder: URL) throws -> [Track] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try Tracks.all.map { track in
            let file = folder.appending(path: "\(track.id).wav")
            if !FileManager.default.fileExists(atPath: file.path) {
                try Data(Tracks.wav(track.id) ?? []).write(to: file, options: .atomic)
            }
            var track = track
            track.source = file.path
            return track
        }
    }
}
