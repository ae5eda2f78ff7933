#if os(Linux)
    import ApusBackground
    import ApusDevice
    import ApusTimers
    import Foundation
    import SimulatedAppleCore
    import Testing
    import UIKit

    extension SimulatedAppleTests {
        /// The rules of Apple, documentation/foundation/urlsessionconfiguration.
        @MainActor
        @Suite("Rules of background sessions")
        struct TransferRules {
            /// Runs the body twice, with the app in the test's process and in one of its own; the transfer of a file
            /// takes 10 s.
            private func run(_ app: TransferApp, _ body: (SimulatedDevice) throws -> Void) throws {
                let manifest = AppManifest(usesScenes: false)
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, manifest: manifest, delegate: app.delegate())
                    device.transfers.serve { _ in .file(bytes: 1_000, bytesPerSecond: 100) }
                    try body(device)
                }
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, manifest: manifest, program: app.program)
                    device.transfers.serve { _ in .file(bytes: 1_000, bytesPerSecond: 100) }
                    try body(device)
                }
            }

            private func transfers(_ device: SimulatedDevice) -> [String] {
                device.log.compactMap { event in
                    if case .transfer(let text) = event.what { text } else { nil }
                }
            }

            private func notes(_ device: SimulatedDevice) -> [String] {
                device.log.compactMap { event in
                    if case .note(let text) = event.what, !text.contains(" of ") { text } else { nil }
                }
            }

            @Test("a discretionary session waits for external power, and for a network that does not cost")
            func discretionary() throws {
                try run(.patient) { device in
                    device.launch()
                    #expect(transfers(device) == ["s 1 waits: no external power"])
                    device.setNetwork(.constrained)
                    device.plugIn()
                    #expect(transfers(device).last == "s 1 waits: the network is constrained")
                    device.setNetwork(.available)
                    device.advance(by: .seconds(5))
                    #expect(transfers(device).last == "s 1 begins")
                    device.unplug()
                    device.advance(by: .seconds(60))
                    #expect(transfers(device).last == "s 1 waits: no external power")
                    device.plugIn()
                    device.advance(by: .seconds(6))
                    #expect(transfers(device).suffix(2) == ["s 1 continues", "s 1 done"])
                }
            }

            @Test("a task that is resumed in the background is at the system's discretion")
            func begunInBackground() throws {
                try run(.late) { device in
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    #expect(transfers(device) == ["s 1 waits: no external power"])
                    device.plugIn()
                    device.advance(by: .seconds(11))
                    #expect(notes(device) == ["state 1", "file “” ", "complete", "all events"])
                }
            }

            @Test("tasks that are begun after a resumption wait, each time twice as long, until the user opens the app")
            func resumedTooOften() throws {
                try run(.chain) { device in
                    device.plugIn()
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    #expect(transfers(device).last == "s 2 waits: the app was resumed too often")
                    device.advance(by: .seconds(1_000))
                    let instants = device.log.filter { $0.what == .note("complete") }.map(\.wall)
                    let distances = zip(instants, instants.dropFirst()).map { $0.duration(to: $1) }
                    #expect(distances.prefix(3) == [.seconds(70), .seconds(130), .seconds(250)])
                    device.open()
                    device.advance(by: .seconds(11))
                    #expect(device.log.count { $0.what == .note("complete") } == instants.count + 1)
                }
            }

            @Test("a task does not begin before its earliest date, and ends with an error after its time")
            func dates() throws {
                try run(.delayed) { device in
                    let wait = "s 1 waits: its earliest begin has not come"
                    device.launch()
                    device.advance(by: .seconds(3_598))
                    #expect(transfers(device) == [wait])
                    device.advance(by: .seconds(13))
                    #expect(transfers(device) == [wait, "s 1 begins", "s 1 done"])
                }
                try run(.limited) { device in
                    device.setNetwork(.none)
                    device.launch()
                    device.advance(by: .seconds(59))
                    #expect(notes(device) == ["state 1"])
                    device.advance(by: .seconds(2))
                    #expect(notes(device) == ["state 1", "error -1001"])
                }
            }

            @Test("a session that sends no launch events gets them when the user opens the app")
            func withoutLaunchEvents() throws {
                try run(.silent) { device in
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(600))
                    #expect(notes(device) == ["state 1"])
                    device.open()
                    #expect(notes(device) == ["state 1", "file “” ", "complete"])
                }
            }

            @Test("an app that does not complete the events is suspended after 30 s, with a fault")
            func forgotten() throws {
                try run(.forgetful) { device in
                    device.expect(.transferEventsNotCompleted)
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(39))
                    #expect(device.host?.phase == .background)
                    #expect(device.faults.isEmpty)
                    device.advance(by: .seconds(4))
                    #expect(device.host?.phase == .suspended)
                    #expect(device.faults.map(\.rule) == [.transferEventsNotCompleted])
                }
            }

            @Test("a delegate of the app that does not handle the events is a warning, and the session gets them")
            func ignorant() throws {
                try run(.ignorant) { device in
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(20))
                    #expect(device.logText.contains("warning: the app's delegate does not handle the events"))
                    #expect(notes(device) == ["state 1", "file “” ", "complete"])
                    #expect(device.host?.phase == .suspended)
                }
            }

            @Test("an app that crashes while it handles the events is not started for them again")
            func crashing() throws {
                try SimulatedDevice.run { device in
                    device.expect(.appProcessCrash)
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(SessionUseDelegate(.crashing)) })
                    device.transfers.serve { _ in .file(bytes: 1_000, bytesPerSecond: 100) }
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(600))
                    #expect(device.launchCount == 1)
                    device.open()
                    #expect(notes(device).suffix(2) == ["file “” ", "complete"])
                }
            }

            @Test("a second session with the same identifier in a process is a warning")
            func twice() throws {
                try run(.twice) { device in
                    device.launch()
                    #expect(device.logText.contains("a background URLSession with identifier s already exists"))
                }
            }

            @Test("without a delegate queue the delegate is called on a queue of the session's")
            func ownQueue() throws {
                try run(.onOwnQueue) { device in
                    device.transfers.serve { _ in .file(contents: Array("hello".utf8), bytesPerSecond: 1) }
                    device.launch()
                    device.advance(by: .seconds(6))
                    #expect(notes(device) == ["state 1", "file “hello” off the main thread", "complete"])
                }
            }

            @Test(
                "an upload sends a file whose size the server knows; a running app is notified of progress each second"
            )
            func upload() throws {
                try run(.upload) { device in
                    let requests = Locked<[TransferRequest]>([])
                    device.transfers.serve { request in
                        requests.withLock { $0.append(request) }
                        return .accepted(bytesPerSecond: 20_000)
                    }
                    device.launch()
                    device.advance(by: .seconds(4))
                    let request = TransferRequest(
                        .upload, url: "https://example.com/file", method: "PUT",
                        headers: ["X-App": "maps", "Content-Type": "text/plain"], bytesToSend: 50_000)
                    #expect(requests.withLock { $0 } == [request])
                    let progress = device.log.compactMap { event -> String? in
                        if case .note(let text) = event.what, text.hasPrefix("sent") { text } else { nil }
                    }
                    #expect(
                        progress == [
                            "sent 20000, 20000 of 50000", "sent 20000, 40000 of 50000", "sent 10000, 50000 of 50000",
                        ])
                    #expect(notes(device) == ["state 1", "complete"])
                }
            }

            @Test("a task that is cancelled, one that the server fails, and one without a server end with their errors")
            func errors() throws {
                try run(.cancelled) { device in
                    device.launch()
                    device.advance(by: .seconds(1))
                    #expect(notes(device) == ["state 1", "error -999"])
                }
                try run(.plain) { device in
                    device.transfers.serve { _ in .failure(.networkConnectionLost, after: .seconds(3)) }
                    device.launch()
                    device.advance(by: .seconds(2))
                    #expect(notes(device) == ["state 1"])
                    device.advance(by: .seconds(2))
                    #expect(notes(device) == ["state 1", "error -1005"])
                }
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(SessionUseDelegate(.plain)) })
                    device.launch()
                    #expect(notes(device) == ["state 1", "error -1003"])
                    #expect(device.logText.contains("warning: there is no server for https://example.com/file"))
                }
            }

            @Test("a session that was invalidated ends with its last task")
            func invalidated() throws {
                try run(.invalidated) { device in
                    device.launch()
                    device.advance(by: .seconds(11))
                    #expect(notes(device) == ["state 1", "file “” ", "complete", "invalid true"])
                }
            }
        }
    }
#endif
