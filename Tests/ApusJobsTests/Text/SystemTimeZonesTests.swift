import ApusCalendar
import ApusJobs
import ApusTesting
import Testing

@Suite("Zones of the runtime")
struct SystemTimeZonesTests {
    /// A machine without zone files.
    private struct NoFiles: TimeZones {
        func zone(_ name: String) throws(ZoneError) -> ZoneDatabase.Zone {
            throw ZoneError(description: "no zone files")
        }
        func refresh() -> Bool { false }
    }

    @Test(
        "without zone files, the zones of the runtime have the offsets of the files on each day",
        arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"])
    func offsets(_ name: String) throws {
        let runtime = try SystemTimeZones(files: NoFiles()).zone(name).rules
        let files = try ZoneDatabase.system.zone(name).rules
        // From 1980 to 2100; earlier, the two have been corrected at different times.
        for day in Int64(3_652)..<47_482 where runtime.offset(at: day * 86_400) != files.offset(at: day * 86_400) {
            Issue.record("day \(day): \(runtime.offset(at: day * 86_400)), not \(files.offset(at: day * 86_400))")
            return
        }
        let noon: Int64 = 1_774_702_800
        #expect(
            runtime.transitions(in: noon..<noon + 86_400 * 365) == files.transitions(in: noon..<noon + 86_400 * 365))
    }

    @Test("a zone that neither the files nor the runtime have is an error of the files")
    func missing() {
        let error = #expect(throws: ZoneError.self) { try SystemTimeZones(files: NoFiles()).zone("Mars/Olympus") }
        #expect(error?.description == "no zone files")
    }
}
