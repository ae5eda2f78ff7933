/// Which protected files and keychain items can be read.
package enum ProtectedDataState: Int, Sendable, Hashable, Codable, Comparable {
    /// The device is unlocked, or was locked a moment ago: all of them.
    case available
    /// The device is locked: those that are protected until the first unlock only.
    case locked
    /// The device was restarted and not unlocked since: none.
    case beforeFirstUnlock

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension SimulatedDevice {
    /// Which protected files and keychain items can be read now.
    package var protectedDataState: ProtectedDataState {
        if isProtectedDataAvailable { return .available }
        return wasUnlockedSinceBoot ? .locked : .beforeFirstUnlock
    }

    /// Notifies the parts, before the app is notified.
    func protectedDataStateChanged() {
        for part in parts.all { part.protectedDataStateChanged(to: protectedDataState) }
    }
}
