public import ApusBackground
import ApusTimers
import Dispatch
import Foundation
public import Logging

/// Plays a queue of sounds through mpv (mpv.io), 0.33 or later: on Debian the package `mpv`.
///
/// mpv is started by the first ``play()``, silent and without a window, the user's settings and scripts, and ends with
/// the player and with this process, however that ends. When mpv dies, the player is paused where it was, the log says
/// so, and the next ``play()`` starts another one.
///
/// While it plays, it holds a background task of the host: a ``LinuxHost`` that is asked to stop lets it play on until
/// its background tasks expire, and then it pauses. Nothing is polled: mpv reports what happens, and in between the
/// position is counted on the uptime clock. Under systemd that needs `KillMode=mixed`, because SIGTERM
/// otherwise goes to mpv as well.
///
/// An item that cannot be played is skipped, and the log says why. Playlists, and the addresses of stations that are
/// playlists, count as one item. All members may be used from any thread.
public final class MPVAudioPlayer: AudioPlayer {
    /// The player's settings.
    public struct Configuration: Sendable, Hashable {
        /// The program: a name, which is looked for in `PATH`, or a path.
        public var executable: String
        /// Further arguments for mpv, such as `--ao=pulse` or `--volume=50`.
        public var arguments: [String]
        /// How long mpv may take for an answer, on the uptime clock, before it counts as dead. Opening a source does
        /// not count; starting the program does.
        public var answerTimeout: Duration

        /// `mpv`, as it is installed, which has half a minute for an answer.
        public init(
            executable: String = "mpv", arguments: [String] = [], answerTimeout: Duration = .seconds(30)
        ) {
            self.executable = executable
            self.arguments = arguments
            self.answerTimeout = answerTimeout
        }
    }

    private struct State {
        var machine: MPVMachine
        var connection: LineConnection?
        var claim: BackgroundTask?
        /// While mpv owes an answer.
        var answerTimer: ScheduledTimer?
        var lastPlay = 0
        var plays: [Int: CheckedContinuation<Void, any Error>] = [:]
    }

    /// How long a line of mpv's may be: far more than the few messages that are read.
    private static let longestLine = 65_536

    private let host: any BackgroundHost
    private let program: MPVProgram
    private let answerTimeout: Duration
    private let logger: Logger
    /// Everything is done here, one after the other; only the state is looked at from elsewhere.
    private let queue = DispatchQueue(label: "apus.linux.audio")
    private let locked: Locked<State>
    private let changes: Broadcast<AudioState>

    /// A player without a queue. Starts nothing.
    ///
    /// - Parameters:
    ///   - host: Grants the time to play in; its engine is used.
    ///   - configuration: The program and its arguments.
    ///   - logger: Where skipped items and the end of mpv are reported.
    public init(
        host: any BackgroundHost, configuration: Configuration = Configuration(),
        logger: Logger = Logger(label: "apus.linux.audio")
    ) {
        self.host = host
        program = MPVProgram(name: configuration.executable, arguments: configuration.arguments)
        answerTimeout = configuration.answerTimeout
        self.logger = logger
        locked = Locked(State(machine: MPVMachine(directory: FileManager.default.currentDirectoryPath)))
        changes = Broadcast(AudioState(), mainLoop: host.mainLoop)
    }

    deinit {
        // mpv sees the end of its connection, and ends.
        let state = locked.withLock { $0 }
        state.connection?.close()
        state.answerTimer?.cancel()
        state.claim?.end()
        changes.finish(AudioState())
    }

    // MARK: What it does

    /// What the player does. It plays from ``play()`` on, also while a source is being opened.
    public var state: AudioState { locked.withLock { $0.machine.state } }

    /// A new sequence of the states from now on, until the player is gone.
    public var stateChanges: Changes<AudioState> { changes.changes() }

    /// How far the current item has been played.
    public var position: Duration {
        let now = host.engine.time.uptime()
        return locked.withLock { $0.machine.position(now: now) }
    }

    // MARK: Commands

    /// Replaces the queue; nothing plays until ``play()``. A source that is no URL is a path, from the directory in
    /// which the player was made if it is not absolute.
    ///
    /// - Throws: `BackgroundError` with the code `modeUnavailable`, and nothing changes, when mpv is not installed.
    public func setQueue(_ items: [AudioItem]) async throws {
        try await onQueue { player in
            _ = try player.programPath()
            player.change { $0.setQueue(items, now: $1) }
        }
    }

    /// Plays, or resumes playing. Without an item it does nothing. Returns when mpv has taken it, not when a source has
    /// been opened: what goes wrong with that is in ``state`` and in the log.
    ///
    /// - Throws: `BackgroundError` with the code `modeUnavailable` when mpv is not installed, cannot be started, ends
    ///   or does not answer, and when the host has no more time to give.
    public func play() async throws {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { self.play(continuation) }
        }
    }

    /// Stops for a while; the position is kept.
    public func pause() async { await onQueue { player in player.change { $0.pause(now: $1) } } }

    /// Moves to the next item, or to the end of the queue. It plays if the one before did.
    public func next() async { await onQueue { player in player.change { $0.next(now: $1) } } }

    private func onQueue<Failure: Error>(
        _ body: @escaping @Sendable (MPVAudioPlayer) throws(Failure) -> Void
    ) async throws(Failure) {
        let result = await withCheckedContinuation { continuation in
            queue.async {
                do throws(Failure) {
                    try body(self)
                    continuation.resume(returning: Result<Void, Failure>.success(()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        try result.get()
    }

    private func programPath() throws(BackgroundError) -> String {
        if let path = program.path { return path }
        throw BackgroundError(
            .modeUnavailable, "\(program.name) is not installed; on Debian it is in the package mpv")
    }

    private func play(_ continuation: CheckedContinuation<Void, any Error>) {
        do {
            let (isRunning, hasItem) = locked.withLock { ($0.machine.isRunning, $0.machine.state.current != nil) }
            if hasItem {
                if !isRunning { _ = try programPath() }
                try backgroundTaskTime()
            }
        } catch {
            return continuation.resume(throwing: error)
        }
        let number = locked.withLock { state in
            state.lastPlay += 1
            state.plays[state.lastPlay] = continuation
            return state.lastPlay
        }
        change { $0.play(number, now: $1) }
    }

    private func backgroundTaskTime() throws(BackgroundError) {
        guard locked.withLock({ $0.claim == nil }) else { return }
        let request = BackgroundTaskRequest(name: "audio") { [weak self] in
            guard let self else { return }
            queue.async { self.change { $0.pause(now: $1) } }
        }
        do throws(BackgroundError) {
            let claim = try host.beginBackgroundTask(request)
            locked.withLock { $0.claim = claim }
        } catch {
            throw BackgroundError(.modeUnavailable, "the process is about to end; nothing plays any more", cause: error)
        }
    }

    // MARK: On the queue

    /// Changes the machine, and does what follows.
    private func change(_ body: (inout MPVMachine, UptimeInstant) -> [MPVMachine.Action]) {
        let now = host.engine.time.uptime()
        let actions = locked.withLock { state in
            let actions = body(&state.machine, now)
            // Under the lock, so that it is never older than the state; it calls no observer.
            changes.set(state.machine.state)
            return actions
        }
        // First, so that the observers called below find it done.
        let claim = locked.withLock { $0.machine.state.isPlaying ? nil : $0.claim.take() }
        claim?.end()
        var loss: MPVMachine.Loss?
        for action in actions {
            switch action {
            case .launch: loss = launch()
            case .send(let command, let number):
                locked.withLock { $0.connection }?.send(command.line(number: number))
            case .finishPlay(let number, let loss):
                let continuation = locked.withLock { $0.plays.removeValue(forKey: number) }
                continuation?.resume(with: loss.map { .failure(error($0)) } ?? .success(()))
            case .report(let report): log(report)
            }
        }
        if let loss { return change { $0.lost(loss, now: $1) } }
        watchAnswers()
    }

    private func launch() -> MPVMachine.Loss? {
        guard let path = program.path else { return .cannotStart("\(program.name) is not there any more") }
        do {
            let socket = try program.launch(path)
            let connection = LineConnection(
                socket, isConnected: true, limit: Self.longestLine, queue: queue
            ) { [weak self] event in self?.received(event) }
            locked.withLock { $0.connection = connection }
            return nil
        } catch {
            return .cannotStart("\(path): \(error)")
        }
    }

    private func received(_ event: LineConnection.Event) {
        switch event {
        case .connected: break
        case .closed: end(.ended)
        case .line(.tooLong): logger.warning("mpv said a line that is too long; it is ignored")
        case .line(.text(let line)):
            do {
                guard let message = try MPVMessage(line: line) else { return }
                if case .answer = message { locked.withLock { $0.answerTimer.take() }?.cancel() }
                change { $0.received(message, now: $1) }
            } catch {
                logger.warning(
                    "mpv said something that is no JSON; it is ignored", metadata: ["line": "\(line.prefix(200))"])
            }
        }
    }

    /// One timer for all answers, which begins again with each.
    private func watchAnswers() {
        locked.withLock { state in
            guard state.machine.awaitsAnswer, state.answerTimer == nil else { return }
            // Weak, because the engine keeps its timers.
            state.answerTimer = host.engine.schedule(after: answerTimeout, clock: .uptime, on: .queue(queue)) {
                [weak self] in self?.end(.silent)
            }
        }
    }

    private func end(_ loss: MPVMachine.Loss) {
        let (connection, timer) = locked.withLock { ($0.connection.take(), $0.answerTimer.take()) }
        connection?.close()
        timer?.cancel()
        change { $0.lost(loss, now: $1) }
    }

    private func error(_ loss: MPVMachine.Loss) -> BackgroundError { BackgroundError(.modeUnavailable, message(loss)) }

    private func message(_ loss: MPVMachine.Loss) -> String {
        switch loss {
        case .cannotStart(let reason): "mpv cannot be started: \(reason); on Debian it is in the package mpv"
        case .ended:
            "mpv has ended; play again to start another one. If it ends again, start \(program.name) by hand to see why "
                + "(Debian's package mpv, 0.33 or later)"
        case .silent: "mpv did not answer within \(answerTimeout), and was given up; play again to start another one"
        }
    }

    private func log(_ report: MPVMachine.Report) {
        switch report {
        case .skipped(let item, let reason):
            logger.warning(
                "an item cannot be played and is skipped",
                metadata: ["item": "\(item.id)", "source": "\(item.source)", "reason": "\(reason)"])
        case .noOutput(let item, let reason):
            logger.error(
                "no sound can come out; see to the sound device, or give mpv the argument --ao=…, and play again",
                metadata: ["item": "\(item.id)", "reason": "\(reason)"])
        case .lost(let loss, let wasPlaying):
            logger.log(level: wasPlaying ? .error : .warning, "\(message(loss))")
        }
    }
}
