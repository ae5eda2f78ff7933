#if os(Linux)
    import ApusBackground
    import ApusVirtualTime
    import ApusTimers
    import Foundation
    import SimulatedAppleCore
    import UIKit

    /// The way in which an app uses its session.
    struct SessionUse {
        var isDiscretionary = false
        var sendsLaunchEvents = true
        var isOnOwnQueue = false
        var limit: TimeInterval?
        var delay: TimeInterval?
        /// Whether the first task begins in the background.
        ///
        /// With `isChain`, each further task begins when the previous one has ended.
        var isInBackground = false
        var isChain = false
        var isUpload = false
        var ending = Ending.none

        enum Ending { case none, cancel, invalidate, secondSession, crash }

        static let plain = SessionUse()
        static let patient = SessionUse(isDiscretionary: true)
        static let silent = SessionUse(sendsLaunchEvents: false)
        static let onOwnQueue = SessionUse(isOnOwnQueue: true)
        static let limited = SessionUse(limit: 60)
        static let delayed = SessionUse(delay: 3_600)
        static let late = SessionUse(isInBackground: true)
        static let chain = SessionUse(isChain: true)
        static let upload = SessionUse(isUpload: true)
        static let cancelled = SessionUse(ending: .cancel)
        static let invalidated = SessionUse(ending: .invalidate)
        static let twice = SessionUse(ending: .secondSession)
        static let crashing = SessionUse(ending: .crash)
    }

    final class SessionUseDelegate: UIResponder, UIApplicationDelegate {
        private let use: SessionUse
        private let user: SessionUser

        init(_ use: SessionUse) {
            self.use = use
            user = SessionUser(use)
            super.init()
        }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            user.open()
            if !use.isInBackground, application.applicationState != .background { user.begin() }
            return true
        }

        func applicationDidEnterBackground(_ application: UIApplication) { if use.isInBackground { user.beginOnce() } }

        func application(
            _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
            completionHandler: @escaping () -> Void
        ) {
            if use.ending == .crash { fatalError("planned") }
            user.completionHandler = completionHandler
        }
    }

    /// A delegate that is used on one queue at a time.
    private final class SessionUser: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
        var completionHandler: (() -> Void)?
        private let use: SessionUse
        private var session: URLSession?
        private var count = 0

        init(_ use: SessionUse) { self.use = use }

        func open() {
            let configuration = URLSessionConfiguration.background(withIdentifier: "s")
            configuration.isDiscretionary = use.isDiscretionary
            configuration.sessionSendsLaunchEvents = use.sendsLaunchEvents
            configuration.httpAdditionalHeaders = ["X-App": "maps"]
            if let limit = use.limit { configuration.timeoutIntervalForResource = limit }
            session = URLSession(
                configuration: configuration, delegate: self, delegateQueue: use.isOnOwnQueue ? nil : .main)
            if use.ending == .secondSession { _ = URLSession(configuration: configuration) }
        }

        func beginOnce() { if count == 0 { begin() } }

        func begin() {
            guard let session, let url = URL(string: "https://example.com/file") else { return }
            count += 1
            let task: URLSessionTask
            if use.isUpload {
                let file = FileManager.default.temporaryDirectory.appendingPathComponent("upload-\(getpid()).bin")
                try? Data(count: 50_000).write(to: file)
                var request = URLRequest(url: url)
                request.httpMethod = "PUT"
                request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
                task = session.uploadTask(with: request, fromFile: file)
                try? FileManager.default.removeItem(at: file)
            } else {
                task = session.downloadTask(with: URLRequest(url: url))
            }
            if let delay = use.delay {
                task.earliestBeginDate = SimulatedPhone.date(
                    of: SimulatedPhone.process.host.engine.time.wall().advanced(by: .seconds(delay)))
            }
            SimulatedPhone.note("state \(task.state.rawValue)")
            task.resume()
            if use.ending == .cancel { task.cancel() }
            if use.ending == .invalidate { session.finishTasksAndInvalidate() }
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {
            let text = (try? Data(contentsOf: location)).map { String(decoding: $0.prefix(5), as: UTF8.self) } ?? ""
            let isMain = Thread.isMainThread ? "on" : "off"
            SimulatedPhone.note(
                "file “\(text.filter(\.isLetter))” \(use.isOnOwnQueue ? "\(isMain) the main thread" : "")")
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
        ) { SimulatedPhone.note("\(bytesWritten), \(totalBytesWritten) of \(totalBytesExpectedToWrite)") }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) { SimulatedPhone.note("sent \(bytesSent), \(totalBytesSent) of \(totalBytesExpectedToSend)") }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            SimulatedPhone.note((error as? URLError).map { "error \($0.code.rawValue)" } ?? "complete")
            if use.isChain { begin() }
        }

        func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
            SimulatedPhone.note("invalid \(error == nil)")
        }

        func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
            SimulatedPhone.note("all events")
            completionHandler?()
            completionHandler = nil
        }
    }

    /// Does not handle the events of background sessions.
    private final class IgnorantDelegate: UIResponder, UIApplicationDelegate {
        private let user = SessionUser(.plain)

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            user.open()
            user.begin()
            return true
        }
    }

    /// Does not call the completion handler.
    private final class ForgetfulDelegate: UIResponder, UIApplicationDelegate {
        private let user = SessionUser(.plain)

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            user.open()
            user.begin()
            return true
        }

        func application(
            _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
            completionHandler: @escaping () -> Void
        ) {}
    }
    /// An app that runs in the test's process or in one of its own.
    struct TransferApp: Sendable {
        let delegate: @MainActor @Sendable () -> any UIApplicationDelegate
        let program: @convention(c) () -> Void

        init(
            _ delegate: @autoclosure @escaping @MainActor @Sendable () -> any UIApplicationDelegate,
            _ program: @escaping @convention(c) () -> Void
        ) { (self.delegate, self.program) = (delegate, program) }

        static let patient = TransferApp(SessionUseDelegate(.patient)) {
            SimulatedPhone.run(SessionUseDelegate(.patient))
        }
        static let late = TransferApp(SessionUseDelegate(.late)) { SimulatedPhone.run(SessionUseDelegate(.late)) }
        static let chain = TransferApp(SessionUseDelegate(.chain)) { SimulatedPhone.run(SessionUseDelegate(.chain)) }
        static let delayed = TransferApp(SessionUseDelegate(.delayed)) {
            SimulatedPhone.run(SessionUseDelegate(.delayed))
        }
        static let limited = TransferApp(SessionUseDelegate(.limited)) {
            SimulatedPhone.run(SessionUseDelegate(.limited))
        }
        static let silent = TransferApp(SessionUseDelegate(.silent)) { SimulatedPhone.run(SessionUseDelegate(.silent)) }
        static let twice = TransferApp(SessionUseDelegate(.twice)) { SimulatedPhone.run(SessionUseDelegate(.twice)) }
        static let onOwnQueue = TransferApp(SessionUseDelegate(.onOwnQueue)) {
            SimulatedPhone.run(SessionUseDelegate(.onOwnQueue))
        }
        static let upload = TransferApp(SessionUseDelegate(.upload)) { SimulatedPhone.run(SessionUseDelegate(.upload)) }
        static let cancelled = TransferApp(SessionUseDelegate(.cancelled)) {
            SimulatedPhone.run(SessionUseDelegate(.cancelled))
        }
        static let plain = TransferApp(SessionUseDelegate(.plain)) { SimulatedPhone.run(SessionUseDelegate(.plain)) }
        static let invalidated = TransferApp(SessionUseDelegate(.invalidated)) {
            SimulatedPhone.run(SessionUseDelegate(.invalidated))
        }
        static let forgetful = TransferApp(ForgetfulDelegate()) { SimulatedPhone.run(ForgetfulDelegate()) }
        static let ignorant = TransferApp(IgnorantDelegate()) { SimulatedPhone.run(IgnorantDelegate()) }
    }
#endif
