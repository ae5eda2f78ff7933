import ApusBackground
package import ApusTesting
import ApusTimers

/// The process that the frameworks' shared objects belong to.
///
/// It has the shared objects of one start of the app, and forgets them when the process has ended. What is left of its
/// code on other threads still finds a process then, until the next one is started, but nothing that it does there has
/// an effect.
package final class PhoneProcess: Sendable {
    private struct State: Sendable {
        var observers: [@MainActor @Sendable (DevicePartEvent) -> Void] = []
        var cleaners: [@MainActor @Sendable () -> Void] = []
        /// Nil when there is no device any more, and behind a lock, because a weak reference is a variable.
        weak var device: SimulatedDevice?
    }

    /// What the device gives to this process.
    package let host: SimulatedHost
    /// The shared objects of this process.
    package let shared = SharedObjects()
    /// What outlives the process, as the system keeps it for the app.
    package let kept: SharedObjects
    /// How much real time background tasks have that go on elsewhere.
    package let patience: Duration

    private let state: Locked<State>

    init(host: SimulatedHost, kept: SharedObjects, patience: Duration, device: SimulatedDevice) {
        self.host = host
        self.kept = kept
        self.patience = patience
        state = Locked(State(device: device))
    }

    /// The device, while it is there.
    package var device: SimulatedDevice? { state.withLock { $0.device } }

    /// Calls `observer` on the main loop with what happens to the device: memory and clock, not the phases.
    package func observe(_ observer: @escaping @MainActor @Sendable (DevicePartEvent) -> Void) {
        state.withLock { $0.observers.append(observer) }
    }

    /// Calls `cleaner` when the process has ended, before the shared objects go.
    package func atEnd(_ cleaner: @escaping @MainActor @Sendable () -> Void) {
        state.withLock { $0.cleaners.append(cleaner) }
    }

    func tell(_ event: DevicePartEvent) {
        for observer in state.withLock({ $0.observers }) { host.mainLoop.run { observer(event) } }
    }

    @MainActor
    func end() {
        let cleaners = state.withLock { state in
            defer { (state.cleaners, state.observers) = ([], []) }
            return state.cleaners
        }
        for cleaner in cleaners { cleaner() }
        shared.removeAll()
    }
}
