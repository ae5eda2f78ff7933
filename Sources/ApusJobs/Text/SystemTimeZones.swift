public import ApusCalendar
import ApusTimers

#if canImport(FoundationEssentials)
    // FoundationEssentials has only UTC and zones with fixed offsets.
#else
    import Foundation
#endif

/// The zones of this machine: those of its zone files, which are read again when they change.
///
/// On Linux the files are those of the package `tzdata`, in `/usr/share/zoneinfo` or the folder that `TZDIR` names.
/// Without them `UTC` is the only zone, because programs without Foundation's locale data (35 MB) have no other rules.
/// On Apple systems a zone without a file is taken from the runtime.
public final class SystemTimeZones: TimeZones {
    /// The zones of this machine.
    public static let shared = SystemTimeZones()

    private let files: any TimeZones
    #if canImport(Darwin)
        /// The zones of the runtime, which do not change during the life of the process.
        private let runtime = Locked<[String: ZoneDatabase.Zone]>([:])
    #endif

    package init(files: any TimeZones = ZoneDatabase.system) { self.files = files }

    /// The zone of this machine's clock, or of the variable `TZ`; UTC if neither names an existing zone.
    public var local: ZoneDatabase.Zone {
        #if canImport(Darwin)
            // Only some Apple systems have a link in /etc to a zone file.
            let name: String? = TimeZone.current.identifier
        #else
            let name = LocalZone.name()
        #endif
        if let name, let zone = try? zone(name) { return zone }
        return ZoneDatabase.Zone(name: "UTC", rules: .utc, fingerprint: 0, generation: 0)
    }

    /// Returns the zone with this name; see `TimeZones`.
    public func zone(_ name: String) throws(ZoneError) -> ZoneDatabase.Zone {
        #if canImport(Darwin)
            do { return try files.zone(name) } catch {
                if let zone = runtimeZone(name) { return zone }
                throw error
            }
        #else
            return try files.zone(name)
        #endif
    }

    /// Reads the zone files again if they have changed; see `TimeZones`.
    public func refresh() -> Bool { files.refresh() }
}

#if canImport(Darwin)
    extension SystemTimeZones {
        private func runtimeZone(_ name: String) -> ZoneDatabase.Zone? {
            if let known = runtime.withLock({ $0[name] }) { return known }
            guard ZoneDatabase.isName(name), let zone = TimeZone(identifier: name) else { return nil }
            let rules = TimeZoneRules(zone)
            // This fingerprint differs from that of a zone file, which is a hash of the file's contents.
            let new = ZoneDatabase.Zone(name: name, rules: rules, fingerprint: 1, generation: 0)
            return runtime.withLock { zones in
                zones[name] = new
                return new
            }
        }
    }

    extension TimeZoneRules {
        /// Creates the rules from the offsets that the runtime has for the years 1900 to 2200.
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
#endif
