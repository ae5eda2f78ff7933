#if os(Linux)
    import ApusBackground
    import ApusDevice
    import Foundation
    import SimulatedAppleCore
    import Testing
    import UIKit

    /// Downloads one file, and continues the download with the resume data of an earlier task.
    private final class ResumingDelegate: UIResponder, UIApplicationDelegate {
        private let transfer = ResumingTransfer()
        private var task: URLSessionDownloadTask?

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            transfer.open()
            return true
        }

        func begin() { task = transfer.begin() }

        func pause() {
            task?.cancel { [transfer] data in
                transfer.kept = data
                SimulatedPhone.note(data == nil ? "nothing to resume" : "kept")
            }
        }

        func cancel() { task?.cancel() }

        func resume() {
            let kept = transfer.kept
            task = transfer.session?.downloadTask(withResumeData: kept ?? Data())
            task?.resume()
        }
    }

    /// For `@unchecked Sendable`: the delegate is called on the main queue only.
    private final class ResumingTransfer: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
        var kept: Data?
        private(set) var session: URLSession?

        func open() {
            let configuration = URLSessionConfiguration.background(withIdentifier: "films")
            session = URLSession(configuration: configuration, delegate: self, delegateQueue: .main)
        }

        func begin() -> URLSessionDownloadTask? {
            guard let url = URL(string: "https://films.example.com/one.mp4") else { return nil }
            let task = session?.downloadTask(with: url)
            task?.resume()
            return task
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
            expectedTotalBytes: Int64
        ) { SimulatedPhone.note("resumed at \(fileOffset) of \(expectedTotalBytes)") }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) { SimulatedPhone.note("file \((try? Data(contentsOf: location))?.count ?? -1)") }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            guard let error = error as? URLError else { return SimulatedPhone.note("complete") }
            let data = error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data
            SimulatedPhone.note("error \(error.code.rawValue)\(data == nil ? "" : " with resume data")")
            kept = data ?? kept
        }
    }

    extension SimulatedAppleTests {
        /// The rules of Apple, documentation/foundation/pausing-and-resuming-downloads.
        @MainActor
        @Suite("Resume data")
        struct ResumeData {
            /// Runs a test with an app that has begun to download a file of 1,000 bytes, which takes 100 s.
            private func run(_ body: (SimulatedDevice, ResumingDelegate) throws -> Void) throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(
                        on: device, manifest: AppManifest(usesScenes: false), delegate: ResumingDelegate())
                    device.transfers.serve { _ in .file(bytes: 1_000, bytesPerSecond: 10) }
                    device.launch()
                    let app = try #require(device.app as? ResumingDelegate)
                    app.begin()
                    try body(device, app)
                }
            }

            private func notes(_ device: SimulatedDevice) -> [String] {
                device.log.compactMap { if case .note(let text) = $0.what { text } else { nil } }
            }

            @Test("a paused download is continued after the bytes that it has received, in the remaining time")
            func paused() throws {
                try run { device, app in
                    device.advance(by: .seconds(40))
                    app.pause()
                    device.advance(by: .seconds(1_000))
                    app.resume()
                    device.advance(by: .seconds(59))
                    #expect(notes(device) == ["kept", "error -999", "resumed at 400 of 1000"])
                    device.advance(by: .seconds(2))
                    #expect(notes(device).suffix(2) == ["file 1000", "complete"])
                }
            }

            @Test("a download without bytes leaves no resume data, and cancel() leaves none")
            func nothing() throws {
                try run { device, app in
                    device.setNetwork(.none)
                    app.pause()
                    device.advance(by: .seconds(1))
                    #expect(notes(device) == ["nothing to resume", "error -999"])
                    device.setNetwork(.available)
                    app.begin()
                    device.advance(by: .seconds(50))
                    app.cancel()
                    device.advance(by: .seconds(1))
                    #expect(notes(device).last == "error -999")
                }
            }

            @Test("the error of a download that a force quit has cancelled has resume data")
            func forceQuit() throws {
                try run { device, _ in
                    device.advance(by: .seconds(40))
                    device.pressHome()
                    device.advance(by: .seconds(10))
                    device.swipeAway()
                    device.advance(by: .seconds(10))
                    device.open()
                    device.advance(by: .seconds(1))
                    #expect(notes(device).last == "error -999 with resume data")
                }
            }
        }
    }
#endif
