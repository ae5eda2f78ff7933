import ApusBackground
import ApusTimers

/// The screen "Refresh": work that the system starts when it suits the device, also when the app does not run. It shows
/// ``BackgroundJobScheduler``.
@MainActor
public final class RefreshModel {
    /// The two kinds of work.
    public enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
        /// A short look for what is new.
        case refresh
        /// Longer work for the night.
        case processing

        /// The identifier that the app declares for it.
        public var identifier: String { "sleepless.\(rawValue)" }
        /// How long the pretended work takes.
        fileprivate var length: Duration { self == .refresh ? .seconds(3) : .seconds(45) }
    }

    /// What the user asked for last, so that the handler can ask for the next run.
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

    /// The accepted delays of a request, in seconds: up to 30 days.
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

    /// Registers the handlers: while the app is launched, in every launch, because it may be launched for a job.
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
                    // Here an app would load what is new. The sleep throws when the run expires.
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

    /// Asks for a run.
    ///
    /// - Parameters:
    ///   - kind: What for.
    ///   - earliest: Not before so many seconds have passed, from 0 to 30 days.
    ///   - network: Whether it needs a connection; for processing.
    ///   - power: Whether it needs external power; for processing.
    /// - Throws: ``AppError`` with the code `invalid` or `storeFailed`.
    public func schedule(_ kind: Kind, earliest: Double, network: Bool, power: Bool) throws(AppError) {
        _ = try AppError.duration(earliest, in: Self.delays, named: "earliest")
        saved.wishes[kind.rawValue] = Wish(earliest: earliest, network: network, power: power)
        try save()
        submit(kind)
    }

    /// Withdraws a request.
    public func cancel(_ identifier: String) { perform { [jobs] in await jobs.cancel(identifier) } }

    /// Lets a request's run begin now, for developers.
    public func simulateLaunch(_ identifier: String) {
        perform { [jobs] in try await jobs.simulateLaunch(identifier) }
    }

    /// The list of what is pending may have changed while the app was away.
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
        // First of all: should the time not be enough, there is another run.
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

    /// Does something, and looks at what is pending then.
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

/// What the screen "Refresh" shows.
public struct RefreshSnapshot: Codable, Sendable, Hashable {
    /// A run, ended or in progress.
    public struct Run: Codable, Sendable, Hashable {
        /// Names it.
        public var id: String
        /// What for.
        public var kind: RefreshModel.Kind
        /// When it began.
        public var began: String
        /// When it ended.
        @Nullable public var ended: String?
        /// `success`, `expired`, or `killed`: the process ended first.
        @Nullable public var outcome: String?
    }

    /// A request that waits.
    public struct Pending: Codable, Sendable, Hashable {
        /// Names it.
        public var id: String
        /// What for.
        public var kind: RefreshModel.Kind
        /// It does not begin before that.
        @Nullable public var earliest: String?
        /// Whether it needs a connection.
        public var network: Bool
        /// Whether it needs external power.
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

    /// When the last run with success ended.
    @Nullable public var last: String?
    /// The last runs, the earliest first.
    public var runs: [Run]
    /// The requests that wait.
    public var pending: [Pending]
    /// Why the last request was refused.
    @Nullable public var error: String?
}
