import ApusBackground

/// The launch handlers of one process, and whether more may be registered: a pure value.
struct JobRegistrations {
    typealias Handler = @MainActor @Sendable (SimulatedTask) -> Void

    private enum Process { case none, launching, launched }

    private var process = Process.none
    private var handlers: [String: Handler] = [:]

    func handler(_ identifier: String) -> Handler? { handlers[identifier] }

    enum RegisterAction {
        case registered
        /// The app did not declare the identifier.
        case notPermitted
        case already
        case tooLate
        /// No app runs that could register.
        case noProcess
    }

    mutating func register(
        _ identifier: String, _ manifest: AppManifest, _ handler: @escaping Handler
    )
        -> RegisterAction
    {
        guard manifest.permits(identifier) else { return .notPermitted }
        if handlers[identifier] != nil { return .already }
        switch process {
        case .none: return .noProcess
        case .launched where !manifest.isForContinuedWorkOnly(identifier): return .tooLate
        case .launching, .launched:
            handlers[identifier] = handler
            return .registered
        }
    }

    mutating func launched() { process = .launching }

    /// The app is made. Gives the declared identifiers that have no handler, in order.
    mutating func finishedLaunching(_ manifest: AppManifest) -> [String] {
        process = .launched
        return manifest.permittedTaskIdentifiers
            .filter { handlers[$0] == nil && !manifest.isForContinuedWorkOnly($0) }.sorted()
    }

    /// The process is gone. Returns the handlers, to release them.
    mutating func ended() -> [Handler] {
        process = .none
        defer { handlers = [:] }
        return Array(handlers.values)
    }
}

extension AppManifest {
    /// Whether the identifier is declared: by itself, or by a wildcard ("com.example.app.export.*").
    func permits(_ identifier: String) -> Bool {
        permittedTaskIdentifiers.contains(identifier) || isMatchedByWildcard(identifier)
    }

    func permits(_ request: BackgroundJobRequest) -> Bool {
        // A wildcard is for continued work (BGTaskRequest.h).
        request.isContinued ? permits(request.identifier) : permittedTaskIdentifiers.contains(request.identifier)
    }

    /// Whether an identifier is one for continued work, whose handlers may come late. Its request is not known when it is
    /// registered, so the declarations decide: a wildcard is for nothing else, and without the modes nothing else runs.
    func isForContinuedWorkOnly(_ identifier: String) -> Bool {
        if identifier.hasSuffix(".*") || backgroundModes.isDisjoint(with: [.fetch, .processing]) { return true }
        return !permittedTaskIdentifiers.contains(identifier) && isMatchedByWildcard(identifier)
    }

    private func isMatchedByWildcard(_ identifier: String) -> Bool {
        permittedTaskIdentifiers.contains { declared in
            guard declared.hasSuffix(".*") else { return false }
            let prefix = declared.dropLast()
            return identifier.hasPrefix(prefix) && identifier.count > prefix.count
        }
    }
}
