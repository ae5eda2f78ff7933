import ApusBackground
import ApusTimers

/// The screen "Refresh": work that the system starts when it suits the device, even if the app does not run.
///
/// It demonstrates ``BackgroundJobScheduler``.
@MainActor
public final class RefreshModel {
    /// A kind of background work.
    public enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
        /// A short check for new content.
        case refresh
        /// Longer work for the night.
        case processing

        /// The identifier that the app declares for this kind.
        public var identifier: String { "sleepless.\(rawValue)" }
        /// The duration of the simulated work.
        fileprivate var length: Duration { self == .refresh ? .seconds(3) : .seconds(45) }
    }

    /// The user's last request, from which the handler submits the next one.
    private struct Wish: Codable, Sendable {
        var earliest: Double
        var network: Bool
        var power: Bool
    }

    private struct Saved: Codable, Sendable {
        var runs: [RefreshSnapshot.Run] = []
        var wishes: [String: Wish] = [:]
        var lastRun = 0
    }

    /// The accepted delays of a request in seconds, up to 30 days.
    public static let delays = 0...2_592_000.0

    private static let key = "refresh"
    private static let runLimit = 50

    private let host: any BackgroundHost
    private let store: any RecordStore
    private let jobs: any BackgroundJobDebugging
    private let changed: ChangeSignal
    private var saved: Saved
    private var pending: [RefreshSnapshot.Pending] = []
    private var error: String?

    /// Registers the handlers during every launch, because the app may be launched for a job.
    init(_ services: Services, changed: ChangeSignal) throws {
        host = services.host
        store = services.store
        jobs = services.jobs
        self.changed = changed
        saved = try store.load(Saved.self, for: Self.key) ?? Saved()
        // Runs that were in progress when the last process ended did not complete.
        for index in saved.runs.indices where saved.runs[index].ended == nil { saved.runs[index].outcome = "killed" }
        for kind in Kind.allCases {
            try jobs.register(kind.identifier) { [weak self, host] run in
                let number = await host.onMainLoop { self?.began(kind) }
                do {
                    // An app would load its new content here. The sleep throws when the run expires.
                    try await host.engine.sleep(for: kind.length)
                    await host.onMainLoop { self?.ended(number, "success") }
                } catch {
                    await host.onMainLoop { self?.ended(number, "expired") }
                    throw error
                }
            }
        }
        look()
    }

    /// Requests a run.
    ///
    /// - Parameters:
    ///   - kind: The kind of work.
    ///   - earliest: The delay before which the run does not begin, in seconds from 0 to 30 days.
    ///   - network: Whether the run requires a network connection; used only for processing.
    ///   - power: Whether the run requires external power; used only for processing.
    /// - Throws: ``AppError`` with the code `invalid` or `storeFailed`.
    public func schedule(_ kind: Kind, earliest: Double, network: Bool, power: Bool) throws(AppError) {
        _ = try AppError.duration(earliest, in: Self.delays, named: "earliest")
        saved.wishes[kind.rawValue] = Wish(earliest: earliest, network: network, power: power)
        try save()
        submit(kind)
    }

    /// Cancels a request.
    public func cancel(_ identifier: String) { perform { [jobs] in await jobs.cancel(identifier) } }

    /// Begins the run of a request now, for developers.
    public func simulateLaunch(_ identifier: String) {
        perform { [jobs] in try await jobs.simulateLaunch(identifier) }
    }

    /// Reads the pending requests again, because they may have changed while the app was away.
    func entered(_ phase: Phase) { if phase == .active { look() } }

    func snapshot() -> RefreshSnapshot {
        RefreshSnapshot(
            last: saved.runs.last { $0.outcome == "success" }?.ended, runs: saved.runs, pending: pending, error: error)
    }

    private func began(_ kind: Kind) -> Int {
        saved.lastRun += 1
        saved.runs.append(
            RefreshSnapshot.Run(id: "\(saved.lastRun)", kind: kind, began: host.stamp, ended: nil, outcome: nil))
        if saved.runs.count > Self.runLimit { saved.runs.removeFirst() }
        saveWhatHappened()
        // The next run is requested before the work begins, so that it takes place even if this run expires.
        submit(kind)
        return saved.lastRun
    }

    private func ended(_ number: Int?, _ outcome: String) {
        guard let number, let index = saved.runs.firstIndex(where: { $0.id == "\(number)" }) else { return }
        saved.runs[index].ended = host.stamp
        saved.runs[index].outcome = outcome
        saveWhatHappened()
        look()
    }

    private func submit(_ kind: Kind) {
        guard let wish = saved.wishes[kind.rawValue] else { return }
        var request = BackgroundJobRequest(
            kind.identifier, .refresh, earliestBegin: host.now.advanced(by: .seconds(wish.earliest)))
        if kind == .processing {
            request.kind = .processing(requiresNetwork: wish.network, requiresExternalPower: wish.power)
        }
        perform { [jobs, request] in try await jobs.submit(request) }
    }

    private func look() { perform {} }

    /// Performs an action, and then reads the pending requests.
    private func perform(_ action: @escaping @Sendable () async throws -> Void) {
        host.start { [weak self, host, jobs] in
            let failure: String?
            do {
                try await action()
                failure = nil
            } catch {
                failure = AppError.text(error)
            }
            let pending = await jobs.pending().compactMap { RefreshSnapshot.Pending($0) }
            await host.onMainLoop {
                self?.pending = pending
                self?.error = failure
                self?.changed()
            }
        }
    }

    private func save() throws(AppError) {
        do {
            try store.save(saved, for: Self.key)
        } catch {
            throw AppError(.storeFailed, "the runs could not be stored: \(AppError.text(error))")
        }
        changed()
    }

    private func saveWhatHappened() {
        do throws(AppError) { try save() } catch { self.error = error.message }
    }
}

/// The visible state of the screen "Refresh".
public struct RefreshSnapshot: Codable, Sendable, Hashable {
    /// A run, ended or in progress.
    public struct Run: Codable, Sendable, Hashable {
        /// The identifier of the run.
        public var id: String
        /// The kind of work.
        public var kind: RefreshModel.Kind
        /// The instant of the beginning.
        public var began: String
        /// The instant of the end.
        @Nullable public var ended: String?
        /// The outcome: `success`, `expired`, or `killed` if the process ended before the run.
        @Nullable public var outcome: String?
    }

    /// A pending request.
    public struct Pending: Codable, Sendable, Hashable {
        /// The identifier of the request.
        public var id: String
        /// The kind of work.
        public var kind: RefreshModel.Kind
        /// The instant before which the run does not begin.
        @Nullable public var earliest: String?
        /// Whether the run requires a network connection.
        public var network: Bool
        /// Whether the run requires external power.
        public var power: Bool

        init?(_ request: BackgroundJobRequest) {
            id = request.identifier
            _earliest = Nullable(wrappedValue: request.earliestBegin.map(\.iso8601))
            switch request.kind {
            case .refresh: (kind, network, power) = (.refresh, false, false)
            case .processing(let requiresNetwork, let requiresPower):
                (kind, network, power) = (.processing, requiresNetwork, requiresPower)
            case .continued: return nil
            }
        }
    }

    /// The end of the last successful run.
    @Nullable public var last: String?
    /// The last runs, the earliest first.
    public var runs: [Run]
    /// The pending requests.
    public var pending: [Pending]
    /// The reason why the last request was refused.
    @Nullable public var error: String?
}
