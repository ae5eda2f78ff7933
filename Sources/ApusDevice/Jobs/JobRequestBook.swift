import ApusBackground
import ApusTimers

/// The pending requests in the order of their submission: a pure value.
struct JobRequestBook {
    struct Entry: Sendable {
        let request: BackgroundJobRequest
        let submitted: WallInstant
        /// The reasons for which the system put off the request at its last examination.
        var lastReasons: [String] = []

        /// The instant from which the request may run.
        var due: WallInstant {
            guard !request.isContinued, let begin = request.earliestBegin else { return submitted }
            return max(submitted, begin)
        }
    }

    private(set) var entries: [Entry] = []

    func entry(_ identifier: String) -> Entry? { entries.first { $0.request.identifier == identifier } }

    /// The requests that wait for an opportunity.
    var opportunistic: [Entry] { entries.filter { !$0.request.isContinued } }
    /// The requests for continued work, which wait until another continued job may run.
    var queued: [Entry] { entries.filter(\.request.isContinued) }

    /// Returns the number of pending requests of a kind, not counting the request with this identifier.
    func count(beside identifier: String, where isOfKind: (BackgroundJobRequest.Kind) -> Bool) -> Int {
        entries.count { isOfKind($0.request.kind) && $0.request.identifier != identifier }
    }

    /// Adds a request; returns true if it replaced one with the same identifier.
    mutating func submit(_ request: BackgroundJobRequest, now: WallInstant) -> Bool {
        let replaced = remove(request.identifier) != nil
        entries.append(Entry(request: request, submitted: now))
        return replaced
    }

    mutating func remove(_ identifier: String) -> Entry? {
        guard let index = entries.firstIndex(where: { $0.request.identifier == identifier }) else { return nil }
        return entries.remove(at: index)
    }

    /// Restores a request whose run could not begin, unless another request with its identifier was submitted
    /// meanwhile.
    mutating func restore(_ entry: Entry) {
        guard self.entry(entry.request.identifier) == nil else { return }
        let index = entries.firstIndex { $0.submitted > entry.submitted } ?? entries.endIndex
        entries.insert(entry, at: index)
    }

    /// Notes the reasons for which a request was put off; returns false if they have not changed since the last time.
    mutating func putOff(_ identifier: String, _ reasons: [String]) -> Bool {
        guard let index = entries.firstIndex(where: { $0.request.identifier == identifier }),
            entries[index].lastReasons != reasons
        else { return false }
        entries[index].lastReasons = reasons
        return true
    }

    /// Removes the requests that meet a condition, and returns their identifiers.
    mutating func removeAll(where isRemoved: (BackgroundJobRequest) -> Bool) -> [String] {
        let removed = entries.filter { isRemoved($0.request) }.map(\.request.identifier)
        entries.removeAll { isRemoved($0.request) }
        return removed
    }
}

extension BackgroundJobRequest {
    var isContinued: Bool { kind.isContinued }
}

extension BackgroundJobRequest.Kind {
    var isContinued: Bool { if case .continued = self { true } else { false } }
    var isRefresh: Bool { if case .refresh = self { true } else { false } }
    var isProcessing: Bool { if case .processing = self { true } else { false } }
    /// Whether the CPU monitor is off while the job runs (BGTaskRequest.h).
    var isComputingFreely: Bool { if case .processing(_, true) = self { true } else { false } }
}

/// The launch handlers of one process, and whether more may be registered: a pure value.
struct JobRegistrations {
    typealias Handler = @MainActor @Sendable (SimulatedTask) -> Void

    private enum Process { case none, launching, launched }

    private var process = Process.none
    private var handlers: [String: Handler] = [:]

    func handler(_ identifier: String) -> Handler? { handlers[identifier] }

    enum RegisterAction {
        case registered
        /// The app does not declare the identifier.
        case notPermitted
        case already
        case tooLate
        /// No process of the app runs.
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

    /// Ends the launch, and returns the declared identifiers that lack a handler, sorted.
    ///
    /// Identifiers for continued work are left out, because their handlers may be registered after the launch.
    mutating func finishedLaunching(_ manifest: AppManifest) -> [String] {
        process = .launched
        return manifest.permittedTaskIdentifiers
            .filter { handlers[$0] == nil && !manifest.isForContinuedWorkOnly($0) }.sorted()
    }

    /// Ends the process, and returns the handlers so that the caller can release them.
    mutating func ended() -> [Handler] {
        process = .none
        defer { handlers = [:] }
        return Array(handlers.values)
    }
}

extension AppManifest {
    /// Returns whether an identifier is declared, by itself or by a wildcard such as "com.example.app.export.*".
    func permits(_ identifier: String) -> Bool {
        permittedTaskIdentifiers.contains(identifier) || isMatchedByWildcard(identifier)
    }

    func permits(_ request: BackgroundJobRequest) -> Bool {
        // A wildcard declares identifiers of continued work only (BGTaskRequest.h).
        request.isContinued ? permits(request.identifier) : permittedTaskIdentifiers.contains(request.identifier)
    }

    /// Returns whether an identifier is for continued work only, so that its handler may be registered after the
    /// launch.
    ///
    /// The kind of the job is not known when its handler is registered, so the declarations decide: a wildcard is for
    /// continued work only, and without the modes `fetch` and `processing` no other jobs run.
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
