import ApusBackground
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Logging

@testable import ApusLinux

/// A host in virtual time that runs wholly on the thread that drives the time.
///
/// The task of `LinuxHost.run` runs on the simulation's executor. The main loop and the timers of the host run on the
/// engine.
@MainActor
final class HostInVirtualTime {
    let time = VirtualTime()
    let host: LinuxHost
    /// The messages to the service manager.
    let sentToManager = Log<String>()
    /// The phases, as an observer gets them.
    let seen = Log<Phase>()
    /// The phases in which the process was stopped.
    let stops = Log<Phase>()
    let signals: AsyncStream<TerminationSignal>
    let send: AsyncStream<TerminationSignal>.Continuation

    private var observation: ObservationToken?

    init(
        grace: Duration = .seconds(30), margin: Duration = .seconds(4), root: String = "/nothing",
        notifyError: Int32 = 0
    ) {
        (signals, send) = AsyncStream.makeStream(of: TerminationSignal.self)
        let phase = Locked<(@Sendable () -> Phase)?>(nil)
        host = LinuxHost(
            engine: time.engine, mainLoop: EngineMainLoop(engine: time.engine),
            configuration: .init(gracePeriod: grace, expirationMargin: margin),
            conditions: LinuxConditions(root: root), conditionsExecutor: .engine,
            serviceManager: ServiceManager { [sentToManager] message in
                sentToManager.add(message)
                return notifyError
            },
            logger: .silent,
            stopProcess: { [stops] in stops.add(phase.withLock { $0 }?() ?? .active) })
        phase.withLock { [host] in $0 = { [weak host] in host?.phase ?? .terminated } }
        observation = host.observePhase { [seen] in seen.add($0) }
    }

    /// Runs the host until it waits for something.
    func run() -> Task<LinuxHost.Outcome, any Error> {
        let host = host
        let signals = signals
        let run = time.start { await host.run(signals: signals) }
        time.settle()
        return run
    }

    func send(_ signal: TerminationSignal) {
        send.yield(signal)
        time.settle()
    }

    func post(_ event: LinuxHost.Event) {
        host.post.yield(event)
        time.settle()
    }

    /// Returns the outcome of a run that has ended.
    func outcome(of run: Task<LinuxHost.Outcome, any Error>) throws -> LinuxHost.Outcome {
        try time.perform { try await run.value }
    }
}

/// A main loop on an engine's thread, for a simulation that the main actor drives.
struct EngineMainLoop: MainLoop {
    let engine: TimerEngine

    func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void) {
        engine.schedule(after: .zero, clock: .uptime) { MainActor.assumeIsolated(work) }
    }
}
