import ApusTimers

/// The keychain of a simulated phone, whose items outlive processes, restarts and installations.
///
/// It may be used from any thread.
package final class SimulatedKeychain: Sendable {
    private struct State {
        var machine: KeychainMachine
        /// The bundle identifier of the installed app.
        var app = ""
    }

    private let surroundings: PartSurroundings
    private let state: Locked<State>

    package init(_ surroundings: PartSurroundings) {
        self.surroundings = surroundings
        let hidesItems = surroundings.policy.hidesKeychainBeforeFirstUnlock
        state = Locked(State(machine: KeychainMachine(hidesItemsBeforeFirstUnlock: hidesItems)))
    }
}

extension SimulatedKeychain: DeviceService {
    package typealias Event = Never

    package func appInstalled(_ app: InstalledApp) { state.withLock { $0.app = app.manifest.bundleIdentifier } }

    package func protectedDataStateChanged(to protection: ProtectedDataState) {
        state.withLock { $0.machine.state = protection }
    }

    package func answer(_ request: KeychainRequest) -> KeychainReply {
        guard !surroundings.isAppDead() else { return KeychainReply(status: .itemNotFound) }
        let (reply, refusal, protection) = state.withLock { state in
            (state.machine.answer(request, of: state.app), state.machine.refusal, state.machine.state)
        }
        if let refusal {
            let why =
                protection == .locked ? "the device is locked" : "the device has not been unlocked since it was started"
            surroundings.log(
                .system,
                .warning(
                    "the keychain item “\(refusal.name)” is \(refusal.accessibility.name), and \(why); for use in the "
                        + "background, store it with kSecAttrAccessibleAfterFirstUnlock; the error does not mean that "
                        + "the item is missing"))
        }
        return reply
    }
}
