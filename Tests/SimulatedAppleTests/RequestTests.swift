#if os(Linux)
    import ApusBackground
    import ApusDevice
    import ApusTimers
    import Foundation
    import SimulatedAppleCore
    import Testing
    import UIKit

    /// The request that an app makes with an ordinary session.
    private enum RequestUse {
        case completion, delegate, async, cancelled, upload, download, patient, covered, inBackgroundSession,
            withHandler, bytesInBackgroundSession, invalidated, hasty, atOnce
    }

    /// Makes one request when it is launched, and notes the result.
    private final class RequestDelegate: UIResponder, UIApplicationDelegate {
        private let use: RequestUse
        private var task: Task<Void, Never>?

        init(_ use: RequestUse) { self.use = use }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            guard application.applicationState != .background, let url = URL(string: "https://example.com/a") else {
                return true
            }
            var request = URLRequest(url: url)
            switch use {
            case .completion: URLSession.shared.dataTask(with: url, completionHandler: noteData).resume()
            case .delegate:
                let session = URLSession(configuration: .ephemeral, delegate: RequestNotes(), delegateQueue: .main)
                session.dataTask(with: request).resume()
                session.finishTasksAndInvalidate()
            case .async, .cancelled:
                task = Task {
                    do {
                        let (data, response) = try await URLSession.shared.data(from: url)
                        noteData(data, response, nil)
                    } catch { noteData(nil, nil, error) }
                }
                if use == .cancelled { DispatchQueue.main.asyncAfter(deadline: .now() + 2) { self.task?.cancel() } }
            case .upload:
                request.httpMethod = "POST"
                URLSession.shared.uploadTask(with: request, from: Data(count: 500), completionHandler: noteData)
                    .resume()
            case .download:
                task = Task {
                    do {
                        let (file, _) = try await URLSession.shared.download(from: url)
                        SimulatedPhone.note("file \((try? Data(contentsOf: file))?.count ?? -1) bytes")
                        try? FileManager.default.removeItem(at: file)
                    } catch { SimulatedPhone.note("error \((error as? URLError)?.code.rawValue ?? 0)") }
                }
            case .patient:
                let configuration = URLSessionConfiguration.default
                configuration.waitsForConnectivity = true
                URLSession(configuration: configuration).dataTask(with: url, completionHandler: noteData).resume()
            case .covered:
                let cover = application.beginBackgroundTask(withName: "request") {}
                URLSession.shared.dataTask(with: url) { data, response, error in
                    noteData(data, response, error)
                    application.endBackgroundTask(cover)
                }.resume()
            case .inBackgroundSession:
                let configuration = URLSessionConfiguration.background(withIdentifier: "s")
                let session = URLSession(configuration: configuration, delegate: RequestNotes(), delegateQueue: .main)
                session.dataTask(with: url).resume()
            case .bytesInBackgroundSession:
                let session = URLSession(configuration: .background(withIdentifier: "s"))
                session.uploadTask(with: request, from: Data(count: 5)).resume()
            case .invalidated:
                let session = URLSession(configuration: .default, delegate: RequestNotes(), delegateQueue: .main)
                session.dataTask(with: url, completionHandler: noteData).resume()
                session.invalidateAndCancel()
            case .hasty:
                let configuration = URLSessionConfiguration.default
                configuration.timeoutIntervalForRequest = 10
                request.httpMethod = "POST"
                let session = URLSession(configuration: configuration, delegate: RequestNotes(), delegateQueue: .main)
                session.uploadTask(with: request, from: Data(count: 500)).resume()
            case .atOnce:
                for _ in 0..<8 {
                    DispatchQueue.global().async {
                        URLSession.shared.dataTask(with: url, completionHandler: noteData).resume()
                    }
                }
            case .withHandler:
                let session = URLSession(configuration: .background(withIdentifier: "s"))
                session.dataTask(with: url, completionHandler: noteData).resume()
            }
            return true
        }
    }

    @Sendable
    private func noteData(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        if let error { return SimulatedPhone.note("error \((error as? URLError)?.code.rawValue ?? 0)") }
        let text = String(decoding: data ?? Data(), as: UTF8.self)
        SimulatedPhone.note("“\(text)”, status \((response as? HTTPURLResponse)?.statusCode ?? 0)")
    }

    private final class RequestNotes: NSObject, URLSessionDataDelegate, Sendable {
        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            SimulatedPhone.note("data “\(String(decoding: data, as: UTF8.self))”")
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) { SimulatedPhone.note("sent \(bytesSent), \(totalBytesSent) of \(totalBytesExpectedToSend)") }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            SimulatedPhone.note(error.map { "error \(($0 as? URLError)?.code.rawValue ?? 0)" } ?? "complete")
        }

        func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
            SimulatedPhone.note("invalid")
        }
    }

    private enum Requesting {
        static let completion = TransferApp(RequestDelegate(.completion)) {
            SimulatedPhone.run(RequestDelegate(.completion))
        }
        static let delegate = TransferApp(RequestDelegate(.delegate)) {
            SimulatedPhone.run(RequestDelegate(.delegate))
        }
        static let async = TransferApp(RequestDelegate(.async)) { SimulatedPhone.run(RequestDelegate(.async)) }
        static let cancelled = TransferApp(RequestDelegate(.cancelled)) {
            SimulatedPhone.run(RequestDelegate(.cancelled))
        }
        static let upload = TransferApp(RequestDelegate(.upload)) {
            SimulatedPhone.run(RequestDelegate(.upload))
        }
        static let download = TransferApp(RequestDelegate(.download)) {
            SimulatedPhone.run(RequestDelegate(.download))
        }
        static let waiting = TransferApp(RequestDelegate(.patient)) {
            SimulatedPhone.run(RequestDelegate(.patient))
        }
        static let covered = TransferApp(RequestDelegate(.covered)) {
            SimulatedPhone.run(RequestDelegate(.covered))
        }
        static let bytesInBackgroundSession = TransferApp(RequestDelegate(.bytesInBackgroundSession)) {
            SimulatedPhone.run(RequestDelegate(.bytesInBackgroundSession))
        }
        static let invalidated = TransferApp(RequestDelegate(.invalidated)) {
            SimulatedPhone.run(RequestDelegate(.invalidated))
        }
        static let hasty = TransferApp(RequestDelegate(.hasty)) { SimulatedPhone.run(RequestDelegate(.hasty)) }
        static let atOnce = TransferApp(RequestDelegate(.atOnce)) { SimulatedPhone.run(RequestDelegate(.atOnce)) }
        static let withHandler = TransferApp(RequestDelegate(.withHandler)) {
            SimulatedPhone.run(RequestDelegate(.withHandler))
        }
        static let inBackgroundSession = TransferApp(RequestDelegate(.inBackgroundSession)) {
            SimulatedPhone.run(RequestDelegate(.inBackgroundSession))
        }
    }

    extension SimulatedAppleTests {
        /// The rules of Apple, documentation/foundation/urlsession; DTS, developer.apple.com/forums/thread/99991.
        @MainActor
        @Suite("Ordinary sessions")
        struct Requests {
            /// Runs the body twice: with the app in the test's process, where tasks of Swift do not use virtual time,
            /// and with the app in one of its own.
            ///
            /// The server answers with a greeting after the given number of seconds.
            private func run(
                _ app: TransferApp, seconds: Int64 = 5, fault: Fault.Rule? = nil, hasTasks: Bool = false,
                _ body: (SimulatedDevice) throws -> Void
            ) throws {
                let manifest = AppManifest(usesScenes: false)
                for isOwn in hasTasks ? [true] : [false, true] {
                    try SimulatedDevice.run { device in
                        if let fault { device.expect(fault) }
                        if isOwn {
                            SimulatedPhone.install(on: device, manifest: manifest, program: app.program)
                        } else {
                            SimulatedPhone.install(on: device, manifest: manifest, delegate: app.delegate())
                        }
                        device.transfers.serve { request in
                            // The response has 1,000 bytes, of which the first five are the text.
                            let text = Array("hello".utf8) + Array(repeating: 33, count: 995)
                            let rate = (1_000 + request.bytesToSend) / seconds
                            return request.kind == .download
                                ? .file(bytes: 1_000, bytesPerSecond: rate)
                                : .file(contents: Array(text), bytesPerSecond: rate)
                        }
                        try body(device)
                    }
                }
            }

            private static let greeting = "“hello\(String(repeating: "!", count: 995))”"

            @Test("a task of the shared session gives data to its completion handler, or to an asynchronous caller")
            func shared() throws {
                for (app, hasTasks) in [
                    (Requesting.completion, false), (Requesting.async, true), (Requesting.upload, false),
                ] {
                    try run(app, hasTasks: hasTasks) { device in
                        device.launch()
                        device.advance(by: .milliseconds(4_900))
                        #expect(device.notes.isEmpty)
                        device.advance(by: .milliseconds(200))
                        #expect(device.notes == ["\(Self.greeting), status 200"])
                    }
                }
            }

            @Test("a task without a handler gives data to the delegate of its session, which ends after its last task")
            func delegate() throws {
                try run(Requesting.delegate) { device in
                    device.launch()
                    device.advance(by: .seconds(6))
                    #expect(device.notes == ["data \(Self.greeting)", "complete", "invalid"])
                }
            }

            @Test("the file of an asynchronous download is the caller's")
            func download() throws {
                try run(Requesting.download, hasTasks: true) { device in
                    device.launch()
                    device.advance(by: .seconds(6))
                    #expect(device.notes == ["file 1000 bytes"])
                }
            }

            @Test("cancelling the calling task cancels the request")
            func cancelled() throws {
                try run(Requesting.cancelled, hasTasks: true) { device in
                    device.launch()
                    device.advance(by: .seconds(3))
                    #expect(device.notes == ["error -999"])
                    #expect(device.logText.contains("failed: cancelled"))
                }
            }

            @Test("a request in progress is lost when the app is suspended, and fails when the app is resumed")
            func suspended() throws {
                try run(Requesting.completion, seconds: 20) { device in
                    device.launch()
                    device.advance(by: .seconds(1))
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    #expect(device.host?.phase == .suspended)
                    #expect(device.notes.isEmpty)
                    device.open()
                    #expect(device.notes == ["error -1005"])
                    #expect(device.launchCount == 1)
                }
            }

            @Test("a background task keeps the app running until its request has ended")
            func covered() throws {
                try run(Requesting.covered, seconds: 20) { device in
                    device.launch()
                    device.advance(by: .seconds(1))
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    #expect(device.notes == ["\(Self.greeting), status 200"])
                    #expect(device.host?.phase == .suspended)
                }
            }

            @Test("without a network a request fails, unless its session waits for one; one under way is lost")
            func network() throws {
                try run(Requesting.completion) { device in
                    device.setNetwork(DeviceConditions.Network.none)
                    device.launch()
                    #expect(device.notes == ["error -1009"])
                }
                try run(Requesting.completion) { device in
                    device.launch()
                    device.advance(by: .seconds(1))
                    device.setNetwork(DeviceConditions.Network.none)
                    device.advance(by: .seconds(1))
                    #expect(device.notes == ["error -1005"])
                }
                try run(Requesting.waiting) { device in
                    device.setNetwork(DeviceConditions.Network.none)
                    device.launch()
                    device.advance(by: .seconds(30))
                    #expect(device.notes.isEmpty)
                    device.setNetwork(.available)
                    device.advance(by: .seconds(6))
                    #expect(device.notes == ["\(Self.greeting), status 200"])
                }
            }

            @Test("a request waits for the server for 60 seconds")
            func timeout() throws {
                try run(Requesting.completion) { device in
                    device.transfers.serve { _ in .failure(.cannotConnectToHost, after: .seconds(100)) }
                    device.launch()
                    device.advance(by: .seconds(59))
                    #expect(device.notes.isEmpty)
                    device.advance(by: .seconds(2))
                    #expect(device.notes == ["error -1001"])
                }
                try run(Requesting.hasty) { device in
                    device.transfers.serve { _ in .failure(.cannotConnectToHost, after: .seconds(100)) }
                    device.launch()
                    device.advance(by: .seconds(11))
                    #expect(device.notes == ["error -1001"])
                }
            }

            @Test("an upload notifies the delegate of what it has sent, then of the answer, then of its end")
            func uploadWithDelegate() throws {
                try run(Requesting.hasty) { device in
                    device.launch()
                    device.advance(by: .milliseconds(500))
                    #expect(device.notes.isEmpty)
                    device.advance(by: .seconds(6))
                    #expect(device.notes.filter { $0.hasPrefix("sent") }.last == "sent 200, 500 of 500")
                    #expect(device.notes.suffix(2) == ["data \(Self.greeting)", "complete"])
                    #expect(!device.notes.contains { $0.hasPrefix("sent 0") })
                }
            }

            @Test("a session that is invalidated cancels its tasks, whose handlers get the error")
            func invalidated() throws {
                try run(Requesting.invalidated) { device in
                    device.launch()
                    device.advance(by: .seconds(1))
                    #expect(device.notes == ["error -999", "invalid"])
                }
            }

            @Test("there is one shared session, however many threads ask for it at once")
            func sharedAtOnce() throws {
                try run(Requesting.atOnce, hasTasks: true) { device in
                    device.launch()
                    device.advance(by: .seconds(6))
                    #expect(device.notes == Array(repeating: "\(Self.greeting), status 200", count: 8))
                }
            }

            @Test("data that a test does not give is at most 1 GiB")
            func tooLong() throws {
                try run(Requesting.completion) { device in
                    device.transfers.serve { _ in .file(bytes: .max, bytesPerSecond: .max) }
                    device.launch()
                    device.advance(by: .seconds(2))
                    #expect(device.notes == ["error -1103"])
                }
            }

            @Test("the requests of a process end with it, and the app is not started for them")
            func processEnds() throws {
                try run(Requesting.completion, seconds: 20) { device in
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(10))
                    device.applyMemoryPressure()
                    device.advance(by: .seconds(600))
                    #expect(device.host == nil && device.launchCount == 1)
                    device.open()
                    device.advance(by: .seconds(21))
                    #expect(device.notes == ["\(Self.greeting), status 200"])
                    device.kill(nil)
                    device.open()
                    device.kill(nil)
                    device.advance(by: .seconds(1))
                    #expect(device.logText.contains("shared session 1 ended with the process"))
                }
            }

            @Test("a data task of a background session ends when the app is suspended, which does not resume the app")
            func dataInBackgroundSession() throws {
                try run(Requesting.inBackgroundSession) { device in
                    device.launch()
                    device.advance(by: .seconds(6))
                    #expect(device.notes == ["data \(Self.greeting)", "complete"])
                }
                try run(Requesting.inBackgroundSession, seconds: 60) { device in
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(600))
                    #expect(device.host?.phase == .suspended && device.notes.isEmpty)
                    device.open()
                    #expect(device.notes == ["error -997"])
                }
                try run(Requesting.inBackgroundSession, seconds: 60) { device in
                    device.launch()
                    device.kill(nil)
                    device.advance(by: .seconds(600))
                    #expect(device.launchCount == 1)
                    device.open()
                    #expect(device.notes == ["error -997"])
                }
            }

            @Test("a completion handler or an upload of bytes in a background session ends the app, as on a phone")
            func exceptions() throws {
                for app in [Requesting.withHandler, Requesting.bytesInBackgroundSession] {
                    try run(app, fault: .backgroundSessionTask) { device in
                        device.launch()
                        device.advance(by: .seconds(1))
                        #expect(device.host == nil)
                        #expect(device.logText.contains("SIGABRT, uncaught exception: a background session"))
                    }
                }
            }
        }
    }
#endif
