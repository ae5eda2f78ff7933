#if os(Linux)
    import ApusBackground
    import ApusDevice
    import Foundation
    import SimulatedAppleCore
    import Testing
    import UIKit

    /// An app as it is usually written: it creates a background session at its launch, and keeps the files.
    private final class DownloadDelegate: UIResponder, UIApplicationDelegate {
        private var session: DownloadSession?

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            let session = DownloadSession()
            self.session = session
            session.beginIfNeeded()
            return true
        }

        func application(
            _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
            completionHandler: @escaping () -> Void
        ) {
            SimulatedPhone.note("events for \(identifier)")
            session?.completionHandler = completionHandler
        }
    }

    /// For `@unchecked Sendable`: the delegate is called on the main queue only, as in Apple's article.
    private final class DownloadSession: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
        var completionHandler: (() -> Void)?
        private var lastLocation: URL?

        private lazy var session: URLSession = {
            let configuration = URLSessionConfiguration.background(withIdentifier: "maps")
            return URLSession(configuration: configuration, delegate: self, delegateQueue: .main)
        }()

        func beginIfNeeded() {
            session.getAllTasks { [session] tasks in
                SimulatedPhone.note("tasks \(tasks.map { "\($0.taskIdentifier) \($0.taskDescription ?? "")" })")
                let isInFront = MainActor.assumeIsolated { UIApplication.shared.applicationState != .background }
                guard tasks.isEmpty, isInFront else { return }
                for name in ["north", "south"] {
                    guard let url = URL(string: "https://maps.example.com/\(name).bin") else { continue }
                    let task = session.downloadTask(with: url)
                    task.taskDescription = name
                    task.resume()
                }
            }
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {
            let size = (try? Data(contentsOf: location))?.count ?? -1
            let status = (downloadTask.response as? HTTPURLResponse)?.statusCode ?? 0
            SimulatedPhone.note("file \(downloadTask.taskDescription ?? "") \(size) bytes, status \(status)")
            lastLocation = location
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let failure = error as? URLError
            let reason = failure?.userInfo["NSURLErrorBackgroundTaskCancelledReasonKey"]
            let end = failure.map { "error \($0.code.rawValue)\(reason.map { ", reason \($0)" } ?? "")" } ?? "complete"
            SimulatedPhone.note("\(end) \(task.taskIdentifier) \(task.state.rawValue)")
            if let lastLocation, FileManager.default.fileExists(atPath: lastLocation.path) {
                SimulatedPhone.note("the file is still there")
            }
        }

        func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
            SimulatedPhone.note("all events")
            completionHandler?()
            completionHandler = nil
        }
    }

    extension SimulatedAppleTests {
        /// The rules of Apple, documentation/foundation/downloading-files-in-the-background.
        @MainActor
        @Suite("Background sessions")
        struct Transfers {
            /// Makes each of the two files take 100 s.
            private func serve(_ device: SimulatedDevice) {
                device.transfers.serve { _ in .file(bytes: 1_000_000, bytesPerSecond: 10_000) }
            }

            /// Runs the body twice: with the app in the test's process, and with the app in one of its own.
            private func run(
                policy: SystemPolicy = SystemPolicy(), _ body: (SimulatedDevice) throws -> Void
            ) throws {
                let manifest = AppManifest(usesScenes: false)
                try SimulatedDevice.run(policy: policy) { device in
                    SimulatedPhone.install(on: device, manifest: manifest, delegate: DownloadDelegate())
                    serve(device)
                    try body(device)
                }
                try SimulatedDevice.run(policy: policy) { device in
                    SimulatedPhone.install(
                        on: device, manifest: manifest, program: { SimulatedPhone.run(DownloadDelegate()) })
                    serve(device)
                    try body(device)
                }
            }

            /// Returns the lines of the app and the transfers, without the time.
            private func lines(_ device: SimulatedDevice) -> [String] {
                device.log.compactMap { event in
                    switch event.what {
                    case .note(let text): text
                    case .transfer(let text): "(\(text))"
                    default: nil
                    }
                }
            }

            private static let events = [
                "(maps: events handed over)", "events for maps", "file north 1000000 bytes, status 200", "complete 1 3",
                "file south 1000000 bytes, status 200", "complete 2 3", "all events", "(events completed)",
            ]

            /// Returns the ends of the tasks.
            private func ends(_ device: SimulatedDevice) -> [String] {
                lines(device).filter { !$0.hasPrefix("tasks") && !$0.contains(/^\(maps \d/) }
            }

            @Test(
                "the delegate of an app in the foreground gets each file when it has arrived, and the file is removed afterwards"
            )
            func inFront() throws {
                try run { device in
                    device.launch()
                    device.advance(by: .seconds(99))
                    #expect(lines(device) == ["tasks []", "(maps 1 begins)", "(maps 2 begins)"])
                    device.advance(by: .seconds(2))
                    #expect(
                        ends(device) == [
                            "file north 1000000 bytes, status 200", "complete 1 3",
                            "file south 1000000 bytes, status 200", "complete 2 3",
                        ])
                }
            }

            @Test("transfers continue while the app is suspended, which is resumed once, when all of them have ended")
            func suspended() throws {
                try run { device in
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(99))
                    #expect(device.host?.phase == .suspended)
                    #expect(ends(device).isEmpty)
                    device.advance(by: .seconds(2))
                    #expect(ends(device) == Self.events)
                    device.advance(by: .seconds(5))
                    #expect(device.host?.phase == .suspended)
                    #expect(device.launchCount == 1)
                }
            }

            @Test("an app that the system has ended is started for its transfers, and a new session gets the events")
            func ended() throws {
                try run { device in
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(50))
                    device.applyMemoryPressure()
                    #expect(device.host == nil)
                    device.advance(by: .seconds(51))
                    #expect(device.logText.contains("launched: background session maps"))
                    #expect(ends(device) == Self.events)
                    device.advance(by: .seconds(5))
                    #expect(device.host?.phase == .suspended)
                    #expect(device.launchCount == 2)
                }
            }

            @Test("a process that the user starts meanwhile finds the tasks of the one before")
            func relaunchedByUser() throws {
                try run { device in
                    device.launch()
                    device.advance(by: .seconds(50))
                    device.kill(nil)
                    device.open()
                    #expect(lines(device).last == "tasks [\"1 north\", \"2 south\"]")
                    device.advance(by: .seconds(51))
                    #expect(ends(device) == Array(Self.events[2...5]))
                }
            }

            @Test(
                "a force quit cancels the transfers; the app is not started for them, and is notified when the user opens it"
            )
            func forceQuit() throws {
                try run { device in
                    device.launch()
                    device.advance(by: .seconds(50))
                    device.swipeAway()
                    device.advance(by: .seconds(3_600))
                    #expect(device.host == nil)
                    #expect(lines(device).suffix(2) == ["(maps 1 failed: cancelled)", "(maps 2 failed: cancelled)"])
                    device.open()
                    #expect(ends(device) == ["error -999, reason 0 1 3", "error -999, reason 0 2 3"])
                }
            }

            @Test("without a network a transfer waits, and continues from there when the network is back")
            func networkLost() throws {
                try run { device in
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    device.setNetwork(.none)
                    device.advance(by: .seconds(600))
                    #expect(lines(device).suffix(2) == ["(maps 1 waits: no network)", "(maps 2 waits: no network)"])
                    device.setNetwork(.available)
                    device.advance(by: .seconds(39))
                    #expect(ends(device).isEmpty)
                    device.advance(by: .seconds(2))
                    #expect(ends(device) == Self.events)
                }
            }

            @Test("a restart of the device keeps the transfers; they continue when the user has unlocked it")
            func restarted() throws {
                try run { device in
                    device.launch()
                    device.advance(by: .seconds(60))
                    device.reboot()
                    device.advance(by: .seconds(600))
                    #expect(device.host == nil)
                    #expect(
                        lines(device).suffix(2) == [
                            "(maps 1 waits: the device has not been unlocked since it was started)",
                            "(maps 2 waits: the device has not been unlocked since it was started)",
                        ])
                    device.unlock()
                    device.advance(by: .seconds(39))
                    #expect(device.host == nil)
                    device.advance(by: .seconds(2))
                    #expect(ends(device) == Self.events)
                }
            }
        }
    }
#endif
