public import ApusCalendar
import ApusTimers

#if canImport(FoundationEssentials)
    // Its zones are only UTC and fixed offsets.
#else
    import Foundation
#endif

/// The zones of this machine: those of its zone files, which are read again when they change.
///
/// On Linux the files are those of the package `tzdata`, in `/usr/share/zoneinfo` or the folder that `TZDIR` names.
/// Without them only `UTC` is a zone; programs without Foundation's locale data (35 MB) have no other rules. On Apple
/// systems a zone without a file is that of the runtime.
public final class SystemTimeZones: TimeZones {
    /// The zones of this machine.
    public static let shared = SystemTimeZones()

    private let files: any TimeZones
    #if canImport(Darwin)
        /// The runtime's are as they are for the life of the process.
        private let runtime = Locked<[String: ZoneDatabase.Zone]>([:])
    #endif

    package init(files: any TimeZones = ZoneDatabase.system) { self.files = files }

    /// The zone of the clock of this machine, or of the variable `TZ`; UTC if there is none, or none of that name.
    public var local: ZoneDatabase.Zone {
        #if canImport(Darwin)
            // The link in /etc leads to a zone file on some Apple systems only.
            let name: String? = TimeZone.current.identifier
        #else
            let name = LocalZone.name()
        #endif
        if let name, let zone = try? zone(name) { return zone }
        return ZoneDatabase.Zone(name: "UTC", rules: .utc, fingerprint: 0, generation: 0)
    }

    /// See `TimeZones`.
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

    /// See `TimeZones`.
    public func refresh() -> Bool { files.refresh() }
}

#if canImport(Darwin)
    extension SystemTimeZones {
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
        /// The offsets from 1900 to 2200, as the runtime knows them.
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
