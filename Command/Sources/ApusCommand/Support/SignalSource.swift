import Dispatch
import PlatformC

/// Handles a signal from now on, on a global queue, instead of its default action.
///
/// It returns only when Dispatch has registered the signal source, which it does some time after the activation. A
/// signal in between is lost, because its default action is already replaced by ignoring it.
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
