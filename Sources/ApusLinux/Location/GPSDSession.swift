import ApusBackground
import ApusTimers
import Dispatch
import Logging

/// One start of a ``GPSDLocationSource``, with its connection and its sequence of updates, until its end.
final class GPSDSession: Sendable {
    struct Settings: Sendable {
        var host: String
        var port: UInt16
        /// How long the pauses between attempts are: the first one, and the longest.
        var firstPause: Duration = .seconds(1)
        var longestPause: Duration = .seconds(60)
        /// How long a connection may take.
        var patience: Duration = .seconds(10)
        /// How long a line may be: a report of all satellites has a few thousand bytes (GPS_JSON_RESPONSE_MAX in gpsd's
        /// gps_json.h is 10,240).
        var longestLine = 65_536
    }

    private struct State {
        var machine: GPSDMachine
        var hasEnded = false
        var connection: LineConnection?
        /// The other addresses of the host's name.
        var untried: [SocketAddress] = []
        /// For the next attempt, or for the end of patience with the present one.
        var timer: ScheduledTimer?
        var claim: BackgroundTask?
    }

    private let settings: Settings
    private let engine: TimerEngine
    private let logger: Logger
    private let continuation: AsyncStream<LocationUpdate>.Continuation
    /// Everything is done here, one after the other.
    private let queue = DispatchQueue(label: "apus.linux.location")
    private let locked: Locked<State>

    init(
        _ settings: Settings, engine: TimerEngine, logger: Logger, claim: BackgroundTask?,
        continuation: AsyncStream<LocationUpdate>.Continuation
    ) {
        self.settings = settings
        self.engine = engine
        self.logger = logger
        self.continuation = continuation
        let machine = GPSDMachine(firstPause: settings.firstPause, longestPause: settings.longestPause)
        locked = Locked(State(machine: machine, claim: claim))
    }

    /// The first update is there when this returns.
    func start() { act(locked.withLock { $0.machine.start() }) }

    /// Ends the sequence. From any thread, any number of times.
    func end() {
        let (connection, timer, claim) = locked.withLock { state in
            state.hasEnded = true
            state.untried = []
            return (state.connection.take(), state.timer.take(), state.claim.take())
        }
        connection?.close()
        timer?.cancel()
        continuation.finish()
        claim?.end()
    }

    private func change(_ body: (inout GPSDMachine) -> [GPSDMachine.Action]) {
        act(locked.withLock { $0.hasEnded ? [] : body(&$0.machine) })
    }

    private func act(_ actions: [GPSDMachine.Action]) {
        for action in actions {
            switch action {
            case .connect: queue.async { [weak self] in self?.connect() }
            case .send(let line): locked.withLock { $0.connection }?.send(line)
            case .retry(let pause):
                // Shares a wake-up with others where it can.
                setTimer(after: pause, tolerance: pause / 4) { session in session.change { $0.retryDue() } }
            case .report(let update): continuation.yield(update)
            case .unreachable(let reason, let pause):
                logger.warning(
                    "gpsd cannot be reached; on Debian it is in the package gpsd",
                    metadata: [
                        "at": "\(settings.host):\(settings.port)", "reason": "\(reason)",
                        "next attempt after": "\(pause)",
                    ])
            case .reachable: logger.info("gpsd can be reached again")
            case .complaint(let message):
                logger.warning("gpsd reports an error", metadata: ["message": "\(message.prefix(200))"])
            }
        }
    }

    private func setTimer(
        after duration: Duration, tolerance: Duration = .zero, _ body: @escaping @Sendable (GPSDSession) -> Void
    ) {
        locked.withLock { state in
            guard !state.hasEnded else { return }
            state.timer.take()?.cancel()
            // On the clock that runs while the machine sleeps: after a sleep the next attempt is due at once.
            state.timer = engine.schedule(
                after: duration, tolerance: tolerance, clock: .continuous, on: .queue(queue)
            ) { [weak self] in
                guard let self else { return }
                body(self)
            }
        }
    }

    // MARK: The connection

    private func connect() {
        let addresses = SocketAddress.resolve(host: settings.host, port: settings.port)
        locked.withLock { if !$0.hasEnded { $0.untried = addresses } }
        connectToNext(elseBecause: "the name is not known")
    }

    private func connectToNext(elseBecause reason: String) {
        var reason = reason
        while let address = locked.withLock({ $0.untried.isEmpty ? nil : $0.untried.removeFirst() }) {
            do {
                let socket = try StreamSocket.connecting(to: address)
                let connection = LineConnection(
                    socket, isConnected: false, limit: settings.longestLine, queue: queue
                ) { [weak self] event in self?.received(event) }
                let isWanted = locked.withLock { state in
                    if !state.hasEnded { state.connection = connection }
                    return !state.hasEnded
                }
                guard isWanted else { return connection.close() }
                return setTimer(after: settings.patience) { $0.failed("no answer") }
            } catch {
                reason = "\(error)"
            }
        }
        change { $0.closed(reason) }
    }

    private func received(_ event: LineConnection.Event) {
        switch event {
        case .connected:
            let timer = locked.withLock { state in
                state.untried = []
                return state.timer.take()
            }
            timer?.cancel()
            change { $0.connected() }
        case .closed(let error): failed(error == 0 ? "gpsd closed the connection" : "\(SocketError(error))")
        case .line(.tooLong): logger.warning("gpsd said a line that is too long; it is ignored")
        case .line(.text(let line)):
            do {
                guard let report = try GPSDReport(line: line) else { return }
                let now = engine.time.wall()
                change { $0.received(report, now: now) }
            } catch {
                logger.warning(
                    "gpsd said something that is no JSON; it is ignored", metadata: ["line": "\(line.prefix(200))"])
            }
        }
    }

    private func failed(_ reason: String) {
        let (connection, timer) = locked.withLock { ($0.connection.take(), $0.timer.take()) }
        connection?.close()
        timer?.cancel()
        connectToNext(elseBecause: reason)
    }
}
