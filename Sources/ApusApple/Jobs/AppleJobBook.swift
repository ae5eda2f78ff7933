import ApusBackground

/// The handlers, submitted requests and runs of a process's background jobs, as a pure state machine.
///
/// It exists because Apple's scheduler raises exceptions, which end the app, for some mistakes: a second handler for an
/// identifier, a handler for refresh or processing after the launch, and a request without a handler
/// (github.com/transistorsoft/transistor-background-fetch/issues/14,
/// github.com/microsoftconnect/ms-intune-app-sdk-ios/issues/132,
/// github.com/wordpress-mobile/WordPress-iOS/issues/18156). A call that the state machine refuses never reaches the
/// system.
struct AppleJobBook: Sendable {
    private enum Standing {
        /// The handler is registered with the system.
        case withSystem
        /// The handler was set after the launch, when the system only takes handlers of continued work.
        ///
        /// The kind of the handler's work is not known before a request is submitted.
        case kept
    }

    private struct Entry {
        let handler: BackgroundJobHandler
        var standing: Standing
    }

    private var isLaunchOver: Bool
    private var entries: [String: Entry] = [:]
    /// The requests as they were submitted in this process.
    ///
    /// The system's copies of requests have dates in place of instants, and its tasks contain even less.
    private var submitted: [String: BackgroundJobRequest] = [:]
    private var running: [String: Int] = [:]

    init(isLaunchOver: Bool) { self.isLaunchOver = isLaunchOver }

    mutating func launchEnded() { isLaunchOver = true }

    // MARK: Handlers

    enum RegisterAction: Equatable {
        /// Register the handler with the system now, and call ``withdraw(_:)`` if the system refuses it.
        case giveToSystem
        /// Do nothing until a request is submitted.
        case keep
        case alreadyRegistered
    }

    mutating func register(_ identifier: String, _ handler: @escaping BackgroundJobHandler) -> RegisterAction {
        guard entries[identifier] == nil else { return .alreadyRegistered }
        entries[identifier] = Entry(handler: handler, standing: isLaunchOver ? .kept : .withSystem)
        return isLaunchOver ? .keep : .giveToSystem
    }

    /// Removes a handler that the system has refused.
    ///
    /// - Returns: The handler, for the caller to release.
    mutating func withdraw(_ identifier: String) -> BackgroundJobHandler? {
        entries.removeValue(forKey: identifier)?.handler
    }

    // MARK: Requests

    enum SubmitAction: Equatable {
        case submit
        /// Register the kept handler with the system, call ``givenToSystem(_:)`` on success, and then submit.
        case giveToSystemFirst
        case notRegistered
        case registeredTooLate
    }

    func submit(_ request: BackgroundJobRequest) -> SubmitAction {
        switch entries[request.identifier]?.standing {
        case nil: return .notRegistered
        case .withSystem: return .submit
        case .kept:
            if case .continued = request.kind { return .giveToSystemFirst }
            return .registeredTooLate
        }
    }

    mutating func givenToSystem(_ identifier: String) { entries[identifier]?.standing = .withSystem }

    /// Keeps a request that the system has accepted.
    mutating func submitted(_ request: BackgroundJobRequest) { submitted[request.identifier] = request }

    /// Returns the request as this process submitted it, or `copy` if this process did not submit a request with the
    /// identifier and the kind of `copy`.
    func original(of copy: BackgroundJobRequest) -> BackgroundJobRequest {
        guard let original = submitted[copy.identifier], original.kind == copy.kind else { return copy }
        return original
    }

    // MARK: Runs

    /// Notes that a run begins, and removes its request.
    ///
    /// - Returns: The handler, and the request if this process submitted it; `nil` if there is no handler.
    mutating func launched(_ identifier: String) -> (handler: BackgroundJobHandler, request: BackgroundJobRequest?)? {
        guard let entry = entries[identifier] else { return nil }
        running[identifier, default: 0] += 1
        return (entry.handler, submitted.removeValue(forKey: identifier))
    }

    mutating func completed(_ identifier: String) {
        guard let count = running[identifier] else { preconditionFailure("only what was launched is completed") }
        running[identifier] = count > 1 ? count - 1 : nil
    }

    func isRunning(_ identifier: String) -> Bool { running[identifier] != nil }
}
