import Dispatch
import PlatformC

/// Handles a signal from now on, on a global queue, instead of its default action.
///
/// It returns once the signal is registered: Dispatch registers a source some time after it is activated, and a signal
/// in between would be lost, because it is already ignored.
func signalSource(
    _ number: Int32, handler: @escaping @Sendable () -> Void
) async -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler(handler: handler)
    await withCheckedContinuation { registered in
        source.setRegistrationHandler { registered.resume() }
        source.activate()
    }
    return source
}
