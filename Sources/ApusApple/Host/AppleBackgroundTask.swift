#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    import ApusBackground
    import ApusTimers
    import UIKit

    /// A background task of UIKit, which may be used from any thread.
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

        /// Asks UIKit for the background task.
        ///
        /// - Returns: Whether UIKit gave an identifier. If it did not, the expiration handler is called on the main
        ///   loop, unless UIKit has called it already.
        func begin() -> Bool {
            // UIKit retains the handler, and with it this object, until the background task is ended.
            let id = application.beginBackgroundTask(withName: request.name) { self.expire() }
            guard id != .invalid else {
                if machine.withLock({ $0.refused() }) == .callHandler { mainLoop.run(request.onExpiration) }
                return false
            }
            if case .end(let id) = machine.withLock({ $0.granted(id) }) { application.endBackgroundTask(id) }
            return true
        }

        /// Ends the background task if it is open.
        ///
        /// - Returns: Whether it was open.
        func end() -> Bool {
            switch machine.withLock({ $0.end() }) {
            case .end(let id):
                application.endBackgroundTask(id)
                return true
            case .endLater: return true
            case .alreadyEnded: return false
            }
        }

        /// Handles the expiration, which UIKit reports on the main actor.
        ///
        /// UIKit does not suspend the app before this method returns, and kills the app if the background task is still
        /// open then.
        @MainActor private func expire() {
            guard machine.withLock({ $0.expire() }) == .callHandler else { return }
            request.onExpiration()
            if request.endsOnExpiration { _ = end() }
        }
    }

    /// The life of one background task between Apus and UIKit, as a pure state machine.
    ///
    /// The background task is ended exactly once, and its expiration is reported at most once.
    ///
    /// UIKit may call the expiration handler on the main thread before `beginBackgroundTask` has returned on another
    /// thread (Apple: "if the system cannot grant the background task it calls the handler"). At that moment, the
    /// identifier of the background task is not known yet, so the handler cannot end it
    /// (github.com/mozilla-mobile/firefox-ios/pull/2065 is about a background task that was never ended for this
    /// reason).
    struct AppleBackgroundTaskMachine<ID: Hashable & Sendable>: Sendable {
        private enum State {
            /// The identifier is not known yet.
            case requesting(hasExpired: Bool)
            /// The background task was ended, and must be ended in UIKit as soon as its identifier is known.
            case endedBeforeGrant
            case open(ID, hasExpired: Bool)
            case ended
        }

        private var state = State.requesting(hasExpired: false)

        enum GrantAction: Equatable {
            case keep
            /// End the background task in UIKit, because it was ended before its identifier was known.
            case end(ID)
        }

        /// Handles the identifier that UIKit gives, at most once, for the background task.
        mutating func granted(_ id: ID) -> GrantAction {
            switch state {
            case .requesting(let hasExpired):
                state = .open(id, hasExpired: hasExpired)
                return .keep
            case .endedBeforeGrant:
                state = .ended
                return .end(id)
            case .open, .ended:
                preconditionFailure("an identifier is given once")
            }
        }

        enum RefuseAction: Equatable {
            /// Call the handler, in which the app finishes its work.
            case callHandler
            case none
        }

        /// Handles UIKit's refusal, which comes at most once and replaces the identifier.
        mutating func refused() -> RefuseAction {
            switch state {
            case .requesting(let hasExpired):
                state = .ended
                return hasExpired ? .none : .callHandler
            case .endedBeforeGrant:
                state = .ended
                return .none
            case .open, .ended:
                preconditionFailure("an identifier is given or refused once")
            }
        }

        enum ExpireAction: Equatable {
            case callHandler
            /// Do nothing, because the handler was already called or the background task has ended.
            case ignore
        }

        mutating func expire() -> ExpireAction {
            switch state {
            case .requesting(hasExpired: false):
                state = .requesting(hasExpired: true)
                return .callHandler
            case .open(let id, hasExpired: false):
                state = .open(id, hasExpired: true)
                return .callHandler
            case .requesting(hasExpired: true), .open(_, hasExpired: true), .endedBeforeGrant, .ended:
                return .ignore
            }
        }

        enum EndAction: Equatable {
            case end(ID)
            /// End the background task when its identifier is known.
            case endLater
            case alreadyEnded
        }

        mutating func end() -> EndAction {
            switch state {
            case .requesting:
                state = .endedBeforeGrant
                return .endLater
            case .open(let id, _):
                state = .ended
                return .end(id)
            case .endedBeforeGrant, .ended:
                return .alreadyEnded
            }
        }
    }
#endif
