import ApusTestSupport
import PlatformC
import Testing

@testable import ApusLinux

/// The tests run one at a time, because signals belong to the whole process.
@Suite("Real signals", .serialized)
struct SignalTests {
    @Test("signals that the process gets arrive in order, and a second catcher is refused")
    func arrive() async throws {
        let signals = try CaughtSignals(HostSignal.all)
        #expect(throws: SignalError(errno: EBUSY)) { try CaughtSignals([.continued]) }
        var iterator = signals.stream.makeAsyncIterator()
        for signal in [HostSignal.stop(.terminate), .standStill, .continued, .stop(.interrupt)] {
            kill(getpid(), signal.number)
            #expect(await iterator.next() == signal)
        }
        signals.stop()
        #expect(await iterator.next() == nil)
    }

    @Test("SIGTERM ends a host's run, after which the signals are free again")
    func run() async throws {
        for _ in 0..<20 {
            let host = LinuxHost(serviceManager: ServiceManager(notifySocket: nil), logger: .silent)
            async let outcome = host.run()
            // A signal is safe only once the run has taken over the signals, so the test waits until SIGTERM is caught.
            while !signalIsCaught(SIGTERM) { await Task.yield() }
            kill(getpid(), SIGTERM)
            #expect(try await outcome == .completed)
            #expect(!signalIsCaught(SIGTERM))
        }
    }

    @Test("signals that were given back can be caught again at once")
    func again() async throws {
        for _ in 0..<50 {
            for signal in [HostSignal.standStill, .stop(.terminate)] {
                let signals = try CaughtSignals(HostSignal.all)
                kill(getpid(), signal.number)
                var iterator = signals.stream.makeAsyncIterator()
                #expect(await iterator.next() == signal)
                signals.stop()
                #expect(!signalIsCaught(signal.number))
            }
        }
    }

    private func signalIsCaught(_ signal: Int32) -> Bool {
        var action = sigaction()
        sigaction(signal, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != 0
    }
}
