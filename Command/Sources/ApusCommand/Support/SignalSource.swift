import Dispatch
import PlatformC

/// Handles a signal from now on, on a global queue, instead of its default action.
///
/// The function returns when Dispatch has registered the signal source, which is some time after the source was
/// activated. Any earlier signal is lost, because the signal is ignored as soon as the function is called.
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
