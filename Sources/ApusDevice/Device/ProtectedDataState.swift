/// The state that determines which protected files and keychain items can be read.
package enum ProtectedDataState: Int, Sendable, Hashable, Codable, Comparable {
    /// The device is unlocked, or was locked a moment ago, so all protected files and items can be read.
    case available
    /// The device is locked, so only files and items that are protected until the first unlock can be read.
    case locked
    /// The device has not been unlocked since it was restarted, so no protected files and items can be read.
    case beforeFirstUnlock

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension SimulatedDevice {
    /// The current state, which determines which protected files and keychain items can be read.
    package var protectedDataState: ProtectedDataState {
        if isProtectedDataAvailable { return .available }
        return wasUnlockedSinceBoot ? .locked : .beforeFirstUnlock
    }

    /// Notifies the parts that the state has changed.
    ///
    /// If more files and items can be read than before, the app is notified after this call.
    func protectedDataStateChanged() {
        for part in parts.all { part.protectedDataStateChanged(to: protectedDataState) }
    }
}
