import ApusBackground

/// What Apus knows of the jobs of a process: who does them, what was submitted, and what runs. A pure state machine.
///
/// It is there because Apple's scheduler answers some mistakes with exceptions, which end the app: a second handler for an
/// identifier, a handler for refresh or processing after the launch, a request without a handler
/// (github.com/transistorsoft/transistor-background-fetch/issues/14,
/// github.com/microsoftconnect/ms-intune-app-sdk-ios/issues/132,
/// github.com/wordpress-mobile/WordPress-iOS/issues/18156). What it refuses is never said to the system.
struct AppleJobBook: Sendable {
    private enum Standing {
        /// The system knows the handler.
        case withSystem
        /// It came after the launch, when the system takes handlers of continued work only. What it is for is known
        /// when a request is submitted.
        case kept
    }

    private struct Entry {
        let handler: BackgroundJobHandler
        var standing: Standing
    }

    private var isLaunchOver: Bool
    private var entries: [String: Entry] = [:]
    /// As they were submitted in this process: the system's own copies have dates, and tasks have even less.
    private var submitted: [String: BackgroundJobRequest] = [:]
    private var running: [String: Int] = [:]

    init(isLaunchOver: Bool) { self.isLaunchOver = isLaunchOver }

    mutating func launchEnded() { isLaunchOver = true }

    // MARK: Handlers

    enum RegisterAction: Equatable {
        /// Give it to the system now, and say with ``withdraw(_:)`` if that does not take it.
        case giveToSystem
        /// Nothing is to be done yet.
        case keep
        case alreadyRegistered
    }

    mutating func register(_ identifier: String, _ handler: @escaping BackgroundJobHandler) -> RegisterAction {
        guard entries[identifier] == nil else { return .alreadyRegistered }
        entries[identifier] = Entry(handler: handler, standing: isLaunchOver ? .kept : .withSystem)
        return isLaunchOver ? .keep : .giveToSystem
    }

    /// The system has not taken the handler. Returns it, to release it.
    mutating func withdraw(_ identifier: String) -> BackgroundJobHandler? {
        entries.removeValue(forKey: identifier)?.handler
    }

    // MARK: Requests

    enum SubmitAction: Equatable {
        case submit
        /// Give the kept handler to the system, say ``givenToSystem(_:)`` when it was taken, and then submit.
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

    /// The system has taken a request.
    mutating func submitted(_ request: BackgroundJobRequest) { submitted[request.identifier] = request }

    /// What was submitted in this process, in place of what the system has made of it.
    func original(of copy: BackgroundJobRequest) -> BackgroundJobRequest {
        guard let original = submitted[copy.identifier], original.kind == copy.kind else { return copy }
        return original
    }

    // MARK: Runs

    /// A run begins: who does it, and what was submitted for it in this process.
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
