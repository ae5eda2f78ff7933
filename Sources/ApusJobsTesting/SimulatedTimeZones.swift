public import ApusCalendar
public import ApusJobs
import ApusTimers

/// The time zones of a test, which can be replaced while a scheduler runs.
///
/// A zone that has not been replaced comes from a base source, by default from this machine.
///
/// ```swift
/// let zones = SimulatedTimeZones()
/// let configuration = JobScheduler.Configuration(timeZones: zones)
/// // … half a year later, the zone stays on standard time:
/// zones.replace("Europe/Berlin", by: try TimeZoneRules(posix: "CET-1"))
/// ```
///
/// A replacement has the effect of an update of tzdata. A scheduler notices the change when it next has something to
/// do, and within an hour and a quarter otherwise. All methods can be called from any thread.
public final class SimulatedTimeZones: TimeZones {
    private struct State {
        /// The replaced zones; `nil` for a zone that does not exist.
        var zones: [String: ZoneDatabase.Zone?] = [:]
        var generation = 0
        var isChanged = false
    }

    private let base: any TimeZones
    private let state = Locked(State())

    /// Creates zones.
    ///
    /// - Parameter base: The source of the zones that are not replaced; by default those of this machine.
    public init(_ base: any TimeZones = SystemTimeZones.shared) { self.base = base }

    /// Replaces the rules of a zone from now on.
    ///
    /// - Parameters:
    ///   - name: The zone's IANA name.
    ///   - rules: The rules; `nil` for a zone that does not exist.
    public func replace(_ name: String, by rules: TimeZoneRules?) {
        state.withLock { state in
            state.generation += 1
            state.isChanged = true
            let generation = state.generation
            state.zones[name] = .some(
                rules.map {
                    ZoneDatabase.Zone(
                        name: name, rules: $0, fingerprint: UInt64(generation), generation: generation)
                })
        }
    }

    /// Returns the zone with this name; see `TimeZones`.
    public func zone(_ name: String) throws(ZoneError) -> ZoneDatabase.Zone {
        guard let own = state.withLock({ $0.zones[name] }) else { return try base.zone(name) }
        if let own { return own }
        throw ZoneError(description: "there is no time zone \"\(name)\" in this test")
    }

    /// Returns whether the zones have changed since the last call; see `TimeZones`.
    public func refresh() -> Bool {
        let isChanged = state.withLock { state in
            defer { state.isChanged = false }
            return state.isChanged
        }
        return base.refresh() || isChanged
    }
}
