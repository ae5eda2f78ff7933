import ApusTimers
import Testing

@testable import ApusLinux

@Suite("gpsd's JSON")
struct GPSDReportTests {
    private func report(_ fields: String) throws -> GPSDReport? {
        try GPSDReport(line: #"{"class":"TPV","device":"/dev/gps0",\#(fields)}"#)
    }

    @Test("a fix has its place, its instant and its error")
    func fix() throws {
        let time = #""time":"2024-03-01T12:00:05.000Z""#
        let fix = GPSDReport.Fix(
            latitude: 48.1173, longitude: -11.5, accuracy: 17.1, instant: .init(secondsSince1970: 1_709_294_405))
        #expect(
            try report(#""mode":3,\#(time),"lat":48.1173,"lon":-11.5,"alt":545.4,"eph":17.1,"epx":1,"epy":1"#)
                == .fix(device: "/dev/gps0", fix))
        #expect(
            try report(#""mode":2,"lat":0,"lon":180"#)
                == .fix(device: "/dev/gps0", .init(latitude: 0, longitude: 180)))
    }

    @Test("without an error of the position, those to the east and to the north make one")
    func accuracy() throws {
        func accuracy(_ fields: String) throws -> Double? {
            guard case .fix(_, let fix?) = try report(#""mode":3,"lat":1,"lon":1,\#(fields)"#) else { return nil }
            return fix.accuracy
        }
        #expect(try accuracy(#""epx":3.0,"epy":4.0"#) == 5)
        #expect(try accuracy(#""epx":3.0"#) == nil)
        #expect(try accuracy(#""eph":-1,"epx":3.0,"epy":4.0"#) == 5)
        #expect(try accuracy(#""eph":0"#) == 0)
    }

    @Test("a receiver without a fix says so", arguments: [0, 1])
    func noFix(mode: Int) throws {
        #expect(try report(#""mode":\#(mode)"#) == .fix(device: "/dev/gps0", nil))
        #expect(try report(#""mode":\#(mode),"lat":1.0,"lon":1.0"#) == .fix(device: "/dev/gps0", nil))
    }

    @Test(
        "a fix without a place on earth, and an unknown mode, are passed over",
        arguments: [
            #""mode":3"#, #""mode":3,"lat":1.0"#, #""mode":3,"lat":90.1,"lon":1.0"#, #""mode":3,"lat":1.0,"lon":-181"#,
            #""mode":4,"lat":1.0,"lon":1.0"#, #""lat":1.0,"lon":1.0"#,
        ])
    func passedOver(fields: String) throws { #expect(try report(fields) == nil) }

    @Test("an instant that cannot be read is none")
    func badInstant() throws {
        let expected = GPSDReport.Fix(latitude: 1, longitude: 1)
        #expect(try report(#""mode":3,"lat":1,"lon":1,"time":"soon""#) == .fix(device: "/dev/gps0", expected))
    }

    @Test("a receiver that is not used any more is gone")
    func deviceGone() throws {
        #expect(
            try GPSDReport(line: #"{"class":"DEVICE","path":"/dev/gps0","activated":0}"#) == .deviceGone("/dev/gps0"))
        #expect(
            try GPSDReport(line: #"{"class":"DEVICE","path":"/dev/gps0","activated":"2024-03-01T12:00:05.000Z"}"#)
                == nil)
        #expect(try GPSDReport(line: #"{"class":"DEVICE","path":"/dev/gps0"}"#) == nil)
    }

    @Test("errors are reported, other classes are skipped")
    func others() throws {
        #expect(try GPSDReport(line: #"{"class":"ERROR","message":"no"}"#) == .error("no"))
        #expect(try GPSDReport(line: #"{"class":"VERSION","release":"3.22"}"#) == nil)
        #expect(try GPSDReport(line: #"{"class":"SKY","satellites":[{"PRN":1}]}"#) == nil)
    }

    @Test(
        "what is no JSON of gpsd's is an error",
        arguments: ["", "garbage", "{", "{}", "[]", #"{"class":3}"#, #"{"class":"TPV","mode":"3"}"#])
    func garbage(line: String) { #expect(throws: (any Error).self) { try GPSDReport(line: line) } }
}
