#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    import ApusBackground
    import ApusTimers
    import UIKit

    /// A background task of UIKit's. From any thread.
    final class AppleBackgroundTask: Sendable {
        private let application: UIApplication
        private let request: BackgroundTaskRequest
        private let mainLoop: any MainLoop
        private let machine = Locked(AppleBackgroundTaskMachine<UIBackgroundTaskIdentifier>())

        init(_ request: BackgroundTaskRequest, of application: UIApplication, mainLoop: any MainLoop) {
            self.application = application
            self.request = request
            self.mainLoop = mainLoop
        }

        /// Asks UIKit. False when it gives no identifier; the handler is called on the main loop then.
        func begin() -> Bool {
            // UIKit keeps the handler, and so the background task, until the background task is ended.
            let id = application.beginBackgroundTask(withName: request.name) { self.expire() }
            guard id != .invalid else {
                if machine.withLock({ $0.refused() }) == .callHandler { mainLoop.run(request.onExpiration) }
                return false
            }
            if case .end(let id) = machine.withLock({ $0.granted(id) }) { application.endBackgroundTask(id) }
            return true
        }

        /// Ends the background task if it is open, and says whether it was.
        func end() -> Bool {
            switch machine.withLock({ $0.end() }) {
            case .end(let id):
                application.endBackgroundTask(id)
                return true
            case .endLater: return true
            case .alreadyEnded: return false
            }
        }

        /// Called by UIKit, which suspends nothing before this returns, and kills the app if it returns without an end.
        @MainActor private func expire() {
            guard machine.withLock({ $0.expire() }) == .callHandler else { return }
            request.onExpiration()
            if request.endsOnExpiration { _ = end() }
        }
    }
#endif
