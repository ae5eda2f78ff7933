import Testing

@testable import ApusCalendar

@Suite("The name of the machine's zone")
struct LocalZoneTests {
    @Test(
        "the zone's name is that of TZ, else of the link, else of Debian's file",
        arguments: [
            (":Europe/Berlin", nil, nil, "Europe/Berlin"), ("Asia/Tokyo", "/usr/share/zoneinfo/UTC", "x", "Asia/Tokyo"),
            ("/usr/share/zoneinfo/Asia/Tokyo", nil, nil, "Asia/Tokyo"),
            (nil, "/usr/share/zoneinfo/America/Indiana/Knox", "Europe/Paris\n", "America/Indiana/Knox"),
            (nil, "../usr/share/zoneinfo/posix/Europe/Berlin", nil, "Europe/Berlin"),
            (nil, "/var/db/timezone/zoneinfo/Europe/Berlin", nil, "Europe/Berlin"),
            (nil, "/usr/share/zoneinfo.default/Europe/Berlin", nil, "Europe/Berlin"),
            (nil, "/etc/here", "Europe/Paris\n", "Europe/Paris"), (nil, nil, "Europe/Paris", "Europe/Paris"),
            // These are not names: an empty variable means UTC, and POSIX rules have no name.
            ("", "/usr/share/zoneinfo/Europe/Berlin", nil, nil), ("CET-1CEST,M3.5.0,M10.5.0/3", nil, "x", nil),
            ("/etc/here", nil, nil, nil), (nil, "/usr/share/zoneinfo", nil, nil), (nil, nil, "\n", nil),
            (nil, nil, "../etc/passwd", nil), (nil, nil, nil, nil),
        ] as [(String?, String?, String?, String?)])
    func names(variable: String?, link: String?, file: String?, expected: String?) {
        #expect(LocalZone.name(variable: variable, link: link, file: file.map { Array($0.utf8) }) == expected)
    }
}
