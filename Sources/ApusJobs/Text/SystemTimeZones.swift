public import ApusCalendar
import ApusTimers

#if canImport(FoundationEssentials)
    import FoundationEssentials
    // Without it, only UTC and fixed offsets are zones on Linux.
    import FoundationInternationalization
#else
    import Foundation
#endif

/// The zones of this machine: those of its zone files, which are read again when they change, and where there are none,
/// those that the Swift runtime has.
public final class SystemTimeZones: TimeZones {
    /// The zones of this machine.
    public static let shared = SystemTimeZones()

    private let files: any TimeZones
    /// The runtime's are as they are for the life of the process.
    private let runtime = Locked<[String: ZoneDatabase.Zone]>([:])

    package init(files: any TimeZones = ZoneDatabase.system) { self.files = files }

    /// See `TimeZones`.
    public func zone(_ name: String) throws(ZoneError) -> ZoneDatabase.Zone {
        do { return try files.zone(name) } catch {
            if let zone = runtimeZone(name) { return zone }
            throw error
        }
    }

    /// See `TimeZones`.
    public func refresh() -> Bool { files.refresh() }

    private func runtimeZone(_ name: String) -> ZoneDatabase.Zone? {
        if let known = runtime.withLock({ $0[name] }) { return known }
        guard ZoneDatabase.isName(name), let zone = TimeZone(identifier: name) else { return nil }
        let rules = TimeZoneRules(zone)
        // Another number than that of a file, whose contents are hashed.
        let new = ZoneDatabase.Zone(name: name, rules: rules, fingerprint: 1, generation: 0)
        return runtime.withLock { zones in
            zones[name] = new
            return new
        }
    }
}

extension TimeZoneRules {
    /// The offsets from 1900 to 2200, as the Swift runtime knows them.
    fileprivate init(_ zone: TimeZone) {
        let (begin, end) = (Date(timeIntervalSince1970: -2_208_988_800), Date(timeIntervalSince1970: 7_258_118_400))
        var date = begin
        var changes: [(at: Int64, offset: Int)] = []
        while let next = zone.nextDaylightSavingTimeTransition(after: date), next > date, next < end {
            date = next
            changes.append((Int64(next.timeIntervalSince1970), zone.secondsFromGMT(for: next)))
        }
        self.init(initialOffset: zone.secondsFromGMT(for: begin), changes: changes)
    }
}
