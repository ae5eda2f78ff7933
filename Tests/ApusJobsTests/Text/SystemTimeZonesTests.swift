import ApusCalendar
import ApusJobs
import Foundation
import Testing

@Suite("Zones of this machine")
struct SystemTimeZonesTests {
    @Test(
        "a zone has the offsets that Foundation knows on each day",
        arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"])
    func offsets(_ name: String) throws {
        let rules = try SystemTimeZones().zone(name).rules
        let zone = try #require(TimeZone(identifier: name))
        // The days run from 1980 to 2099. For earlier days, the two databases may differ, because corrections reached
        // them at different times.
        for day in Int64(3_652)..<47_482 {
            let seconds = day * 86_400
            let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
            if rules.offset(at: seconds) != offset {
                Issue.record("day \(day): \(rules.offset(at: seconds)), not \(offset)")
                return
            }
        }
    }

    @Test("without zone files only UTC is available, and another name's error says what to install")
    func missing() throws {
        let zones = SystemTimeZones(files: ZoneDatabase(directory: "/none"))
        #expect(try zones.zone("UTC").rules == .utc)
        #if os(Linux)
            let error = #expect(throws: ZoneError.self) { try zones.zone("Europe/Berlin") }
            #expect(error?.description.contains("tzdata") == true && error?.description.contains("TZDIR") == true)
        #endif
    }

    @Test("the zone of this machine has the name that Foundation finds")
    func local() {
        let name = SystemTimeZones.shared.local.name
        let theirs = TimeZone.current.identifier
        #expect(name == theirs || (name == "UTC" && ["GMT", "Etc/UTC"].contains(theirs)))
    }
}
