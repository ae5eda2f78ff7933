import ApusTimers
import AsyncHTTPClient
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Talks to the daemon of one home over its socket.
///
/// Every method throws ``DaemonError``: `notRunning` when no daemon listens, `unavailable` when another user's process
/// does, else the code and the message that the daemon answered.
public struct DaemonClient: Sendable {
    /// The home whose daemon is meant.
    public let home: Home

    /// Lives as long as the process. Nobody listening is an answer, so a refused connection is not tried again.
    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        // A connection to a socket of the same machine is cheap, and submissions that come at once share a commit.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    private let socket: DaemonSocket

    /// A client for the daemon of that home. Connects when it is first used.
    public init(home: Home) { self.init(socket: DaemonSocket(home: home)) }

    /// A client for the daemon behind a socket.
    init(socket: DaemonSocket) {
        home = socket.home
        self.socket = socket
    }

    /// Where the daemon's socket is.
    /// - Throws: ``DaemonError`` with `notRunning` when no daemon listens, `unavailable` when another user's process does.
    public func socketPath() throws -> String { try socket.path() }

    /// Who the daemon is.
    public func health() async throws -> WireHealth { try await get("/v1/health") }

    /// Asks the daemon to stop, and returns at once.
    public func stop() async throws { _ = try await send(.POST, "/v1/stop") }

    /// Waits until the daemon that answers now does not any more. The store is closed then, and another daemon can have
    /// it, or has it already. (The process may exist for a moment longer, or as a zombie that its parent has not asked
    /// for.)
    public func untilStopped() async throws {
        let clock = TimerClock.continuous()
        var process: Int32?
        while true {
            do {
                let answering = try await health().pid
                if let process, process != answering { return }
                process = answering
            } catch let error as DaemonError where error.code == .notRunning {
                return
            }
            try await clock.sleep(until: clock.now.advanced(by: .milliseconds(10)), tolerance: nil)
        }
    }

    /// Submits a job: when this returns, it is durable.
    public func submit(_ submission: WireSubmission) async throws -> WireJob {
        try decode(try await send(.POST, "/v1/jobs", body: try JSONEncoder().encode(submission)))
    }

    /// One job, by identifier, unique prefix or name.
    public func job(_ id: String) async throws -> WireJob { try await get("/v1/jobs/\(Self.escaped(id))") }

    /// One page of jobs.
    public func jobs(
        states: [String] = [], kind: String? = nil, labels: [String] = [], limit: Int? = nil, after: String? = nil
    ) async throws -> WireJobPage {
        var query = states.map { ("state", $0) } + labels.map { ("label", $0) }
        if let kind { query.append(("kind", kind)) }
        if let limit { query.append(("limit", String(limit))) }
        if let after { query.append(("after", after)) }
        return try await get("/v1/jobs", query: query)
    }

    /// One page of runs, newest first; with `begun`, only of attempts that began.
    public func runs(
        job: String? = nil, begun: Bool = false, limit: Int? = nil, after: String? = nil
    ) async throws -> WireRunPage {
        var query: [(String, String)] = begun ? [("begun", "true")] : []
        if let job { query.append(("job", job)) }
        if let limit { query.append(("limit", String(limit))) }
        if let after { query.append(("after", after)) }
        return try await get("/v1/runs", query: query)
    }

    /// Cancels a job.
    public func cancel(_ id: String) async throws -> WireJob {
        try decode(try await send(.DELETE, "/v1/jobs/\(Self.escaped(id))"))
    }

    /// Cancels every job.
    public func cancelAll() async throws -> [String] {
        let answer: WireCancelled = try decode(
            try await send(.DELETE, "/v1/jobs", query: [("all", "true")], timeout: .minutes(10)))
        return answer.cancelled
    }

    /// Suspends a job.
    public func suspend(_ id: String) async throws -> WireJob {
        try decode(try await send(.POST, "/v1/jobs/\(Self.escaped(id))/suspend"))
    }

    /// Resumes a job.
    public func resume(_ id: String) async throws -> WireJob {
        try decode(try await send(.POST, "/v1/jobs/\(Self.escaped(id))/resume"))
    }

    /// Runs a job now, beside its occurrences.
    public func run(_ id: String) async throws -> WireRun {
        try decode(try await send(.POST, "/v1/jobs/\(Self.escaped(id))/run"))
    }

    /// What the last run that ended (or an occurrence's) printed: its last 64 KiB.
    public func logs(_ id: String, occurrence: Int? = nil) async throws -> [UInt8] {
        Array(
            try await send(
                .GET, "/v1/jobs/\(Self.escaped(id))/logs", query: occurrence.map { [("occurrence", String($0))] } ?? []
            )
            .readableBytesView)
    }

    /// An event: its name, and its data as JSON.
    public struct Event: Sendable {
        /// `job`, `run`, `output`, `notification`, `clock`, or `lost` where events were left out.
        public var name: String
        /// The JSON.
        public var data: [UInt8]
        /// The data as a wire type.
        public func decoded<T: Decodable>(as type: T.Type = T.self) throws -> T {
            try JSONDecoder().decode(T.self, from: Data(data))
        }
    }

    /// Events of a job (or of all) from now on, until the daemon stops or the calling task is cancelled.
    ///
    /// - Parameters:
    ///   - job: only this job's; by identifier, unique prefix or name.
    ///   - terminal: whether the caller shows notifications to a person.
    ///   - body: called with each event; `false` ends the listening. First called with `nil`, when the daemon listens.
    /// - Throws: ``DaemonError``, or what `body` throws.
    public func listen(
        job: String? = nil, terminal: Bool = false, _ body: (Event?) async throws -> Bool
    ) async throws {
        var query: [(String, String)] = terminal ? [("terminal", "true")] : []
        if let job { query.append(("job", job)) }
        let response = try await execute(.GET, "/v1/events", query: query, timeout: .hours(24 * 365))
        guard response.status == .ok else { throw await Self.error(response) }
        var parser = EventParser()
        guard try await body(nil) else { return }
        for try await chunk in response.body {
            for event in parser.append(chunk.readableBytesView) {
                guard try await body(event) else { return }
            }
        }
    }

    // MARK: - HTTP

    private func get<T: Decodable>(_ path: String, query: [(String, String)] = []) async throws -> T {
        try decode(try await send(.GET, path, query: query))
    }

    private func decode<T: Decodable>(_ buffer: ByteBuffer) throws -> T {
        try JSONDecoder().decode(T.self, from: Data(buffer.readableBytesView))
    }

    private func send(
        _ method: HTTPMethod, _ path: String, query: [(String, String)] = [], body: Data? = nil,
        timeout: TimeAmount = .seconds(30)
    ) async throws -> ByteBuffer {
        let response = try await execute(method, path, query: query, body: body, timeout: timeout)
        guard (200..<300).contains(response.status.code) else { throw await Self.error(response) }
        return try await response.body.collect(upTo: 64 * 1024 * 1024)
    }

    private func execute(
        _ method: HTTPMethod, _ path: String, query: [(String, String)], body: Data? = nil, timeout: TimeAmount
    ) async throws -> HTTPClientResponse {
        var uri = path
        if !query.isEmpty { uri += "?" + query.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&") }
        let socketPath = try socket.path()
        var request = HTTPClientRequest(url: "http+unix://\(Self.escaped(socketPath))\(uri)")
        request.method = method
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(body)
        }
        do {
            return try await Self.http.execute(request, timeout: timeout)
        } catch let error as HTTPClientError where error == .remoteConnectionClosed {
            throw DaemonError(.notRunning, "the daemon went away while it was asked")
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw DaemonError(.notRunning, "no daemon answers at \(socketPath)", cause: error)
        }
    }

    private static func error(_ response: HTTPClientResponse) async -> DaemonError {
        guard let body = try? await response.body.collect(upTo: 1024 * 1024),
            let error = try? JSONDecoder().decode(WireError.self, from: Data(body.readableBytesView))
        else { return DaemonError(.unavailable, "the daemon answered HTTP \(response.status.code)") }
        return DaemonError(.named(error.error.code), error.error.message)
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            default:
                "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}

/// Reads server-sent events, as far as our daemon writes them: `event` and one line of `data`.
struct EventParser {
    private var line: [UInt8] = []
    private var name = "message"
    private var data: [UInt8] = []

    mutating func append(_ bytes: some Sequence<UInt8>) -> [DaemonClient.Event] {
        var events: [DaemonClient.Event] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            if line.isEmpty {
                if !data.isEmpty { events.append(.init(name: name, data: data)) }
                (name, data) = ("message", [])
            } else if line.starts(with: "event: ".utf8) {
                name = String(decoding: line.dropFirst(7), as: UTF8.self)
            } else if line.starts(with: "data: ".utf8) {
                data.append(contentsOf: line.dropFirst(6))
            }
            line.removeAll(keepingCapacity: true)
        }
        return events
    }
}
