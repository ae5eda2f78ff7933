import Testing

@testable import ApusCalendar

@Suite("Time zones")
struct ZoneTests {
    @Test(
        "offsets of known instants are correct",
        arguments: [
            ("Europe/Berlin", "2026-03-29 00:59:59", 3600), ("Europe/Berlin", "2026-03-29 01:00", 7200),
            ("Europe/Berlin", "2199-07-01 12:00", 7200), ("Europe/Berlin", "1893-03-01 00:00", 3208),
            ("America/New_York", "2026-11-01 05:59:59", -14400), ("America/New_York", "2026-11-01 06:00", -18000),
            ("Australia/Lord_Howe", "2026-01-01 00:00", 39600), ("Australia/Lord_Howe", "2026-07-01 00:00", 37800),
            ("Pacific/Apia", "2011-12-30 09:59:59", -36000), ("Pacific/Apia", "2011-12-30 10:00", 50400),
            ("Asia/Tehran", "2026-07-01 00:00", 12600), ("Asia/Kathmandu", "2026-07-01 00:00", 20700),
            ("Europe/Dublin", "2026-07-01 00:00", 3600), ("Europe/Dublin", "2026-12-01 00:00", 0),
        ]
    )
    func offsets(name: String, instant: String, offset: Int) throws {
        #expect(try zone(name).offset(at: utc(instant)) == offset)
    }

    @Test("a local time is shown once, twice, or never")
    func resolution() throws {
        let berlin = try zone("Europe/Berlin")
        #expect(berlin.localToInstants(local("2026-07-01 12:00")) == .one(utc("2026-07-01 10:00")))
        let gap = utc("2026-03-29 01:00")
        #expect(berlin.localToInstants(local("2026-03-29 02:30")) == .gap(before: gap - 1, after: gap))
        #expect(
            berlin.localToInstants(local("2026-10-25 02:30"))
                == .repeated(first: utc("2026-10-25 00:30"), second: utc("2026-10-25 01:30")))
        let samoa = utc("2011-12-30 10:00")
        #expect(
            try zone("Pacific/Apia").localToInstants(local("2011-12-30 09:00")) == .gap(before: samoa - 1, after: samoa)
        )
    }

    @Test(
        "the local time at each instant around a change is resolved to that instant",
        arguments: ["Africa/Casablanca", "Europe/Dublin", "Asia/Gaza"])
    func changes(name: String) throws {
        let rules = try zone(name)
        let transitions = rules.transitions(in: utc("1970-01-01 00:00")..<utc("2100-01-01 00:00"))
        #expect(transitions.count > 100)
        for transition in transitions {
            for instant in [transition.at - 1, transition.at] {
                switch rules.localToInstants(rules.local(at: instant)) {
                case .one(let found): #expect(found == instant)
                case .repeated(let first, let second): #expect(first == instant || second == instant)
                case .gap: Issue.record("\(name): what \(instant) shows is said to be skipped")
                }
            }
        }
    }

    @Test("a file that is cut off anywhere, or not a zone, is refused")
    func damage() throws {
        let bytes = try #require(SystemZoneFiles().read("/usr/share/zoneinfo/Europe/Berlin"))
        for length in 0..<bytes.count - 1 {
            #expect(throws: ZoneError.self) { try TimeZoneRules(tzif: Array(bytes[..<length])) }
        }
        #expect(throws: ZoneError.self) { try TimeZoneRules(tzif: Array("hello".utf8)) }
    }

    @Test("a file with any byte changed is read or refused, and never traps")
    func hostileBytes() throws {
        let bytes = try #require(SystemZoneFiles().read("/usr/share/zoneinfo/America/Sao_Paulo"))
        for index in bytes.indices {
            for value: UInt8 in [0, 1, 127, 128, 255] where bytes[index] != value {
                var changed = bytes
                changed[index] = value
                guard let rules = try? TimeZoneRules(tzif: changed) else { continue }
                let daily = CalendarSchedule(.fields(CalendarFields(times: TimesOfDay([9 * 3600]))))
                #expect(daily.next(after: utc("2026-01-01 00:00"), in: rules) != nil)
            }
        }
    }

    @Test(
        "POSIX footers are parsed with their offsets",
        arguments: [
            ("<-03>3", -10800, nil), ("IST-1GMT0,M10.5.0,M3.5.0/1", 3600, 0),
            ("EST5EDT,M3.2.0,M11.1.0", -18000, -14400),
            ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 37800, 39600), ("XXX-2YYY,J60/-167:59:59,365/167", 7200, 10800),
        ] as [(String, Int, Int?)]
    )
    func footers(text: String, standard: Int, saving: Int?) throws {
        let rule = try #require(PosixRuleParser.parse(Array(text.utf8)))
        #expect(rule.standard == standard)
        #expect(rule.saving?.offset == saving)
    }

    @Test(
        "an invalid footer is refused",
        arguments: ["", "A1", "EST", "EST5EDT,M13.1.0,M1.1.0", "EST5EDT,M3.2.0", "<EST5"])
    func wrongFooters(text: String) { #expect(PosixRuleParser.parse(Array(text.utf8)) == nil) }

    @Test("names cannot lead out of the folder, and an unknown name is refused with similar ones")
    func names() {
        for name in ["", "/etc/passwd", "../passwd", "Europe//Berlin", "Europe/../Berlin", "Europe/Berlin/", "Ü"] {
            #expect(throws: ZoneError.self) { try ZoneDatabase().zone(name) }
        }
        let error = #expect(throws: ZoneError.self) { try ZoneDatabase().zone("Europe/Berln") }
        #expect(error?.description.contains("Europe/Berlin") == true)
        for (name, other) in [("W. Europe Standard Time", "Europe/Berlin"), ("UTC-11", "Etc/GMT+11")] {
            let error = #expect(throws: ZoneError.self) { try ZoneDatabase().zone(name) }
            #expect(error?.description.hasSuffix("is a name of Windows for \(other); write \(other)") == true)
        }
    }

    /// Provides zone files whose contents the test changes.
    private final class ChangingFiles: ZoneFiles {
        nonisolated(unsafe) var bytes: [UInt8] = []
        nonisolated(unsafe) var modified: Int64 = 1

        func identity(of path: String) -> ZoneFileIdentity? {
            ZoneFileIdentity(inode: 1, size: Int64(bytes.count), modified: modified)
        }

        func read(_ path: String) -> [UInt8]? { bytes }
    }

    @Test("a zone whose file has changed is read again, with a higher generation")
    func newRules() throws {
        let files = ChangingFiles()
        files.bytes = try #require(SystemZoneFiles().read("/usr/share/zoneinfo/Europe/Berlin"))
        let database = ZoneDatabase(directory: "/zones", files: files)
        let first = try database.zone("Europe/Berlin")
        #expect(first.generation == 0)
        files.modified = 2
        #expect(try database.zone("Europe/Berlin").generation == 0, "the same rules in a new file")
        files.bytes = try #require(SystemZoneFiles().read("/usr/share/zoneinfo/Asia/Tokyo"))
        files.modified = 3
        let second = try database.zone("Europe/Berlin")
        #expect(second.generation == 1)
        #expect(second.rules.offset(at: utc("2026-07-01 00:00")) == 32400)
        #expect(first.fingerprint != second.fingerprint)
    }
}
