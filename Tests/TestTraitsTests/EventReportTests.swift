import Testing

@testable import ApusTestTraits

@Suite("EventReport")
struct EventReportTests {
    private let place = #""sourceLocation":{"fileID":"M/F.swift","filePath":"/s/F.swift","line":7,"column":3}"#

    private func event(_ fields: String) -> String {
        #"{"kind":"event","payload":{\#(fields)},"version":"6.3.0"}"# + "\n"
    }

    private func report(_ lines: String...) -> EventReport { EventReport(lines.joined().utf8) }

    @Test("an issue has its text, place, instant and kind")
    func issue() {
        let report = report(
            event(
                #""kind":"issueRecorded","instant":{"absolute":1,"since1970":20.5},"testID":"M.f()/F.swift:1:2","#
                    + #""messages":[{"symbol":"fail","text":"1 == 2"},{"symbol":"details","text":"why"}],"#
                    + #""issue":{"isKnown":false,"isFailure":true,"severity":"error",\#(place)}"#))
        #expect(
            report.issues == [
                EventReport.RecordedIssue(
                    text: "1 == 2\nwhy", place: .init(fileID: "M/F.swift", filePath: "/s/F.swift", line: 7, column: 3),
                    instant: 20.5)
            ])
        #expect(report.lastInstant == 20.5)
        #expect(report.unreadable == [])
    }

    @Test("known issues and warnings are distinguished")
    func kinds() {
        let report = report(
            event(#""kind":"issueRecorded","messages":[],"issue":{"isKnown":true,"severity":"error"}"#),
            event(#""kind":"issueRecorded","messages":[],"issue":{"isKnown":false,"severity":"warning"}"#))
        #expect(report.issues.map(\.isKnown) == [true, false])
        #expect(report.issues.map(\.isWarning) == [false, true])
        #expect(report.issues.map(\.place) == [nil, nil])
    }

    @Test("an issue belongs to the case that runs")
    func cases() {
        let issue = event(#""kind":"issueRecorded","messages":[{"symbol":"fail","text":"x"}],"issue":{}"#)
        let report = report(
            event(
                #""kind":"testCaseStarted","messages":[{"symbol":"default","text":"#
                    + #""Test case passing 1 argument n → 3 to p(_:) started."}]"#), issue,
            event(#""kind":"testCaseEnded","messages":[]"#), issue)
        #expect(report.issues.map(\.testCase) == ["passing 1 argument n → 3 to p(_:)", nil])
    }

    @Test("tests that started, ended, were skipped or cancelled, and attachments are listed")
    func tests() {
        let report = report(
            #"{"kind":"test","payload":{"id":"M.f()","kind":"function","name":"f()"},"version":"6.3.0"}"# + "\n",
            event(#""kind":"runStarted","messages":[]"#),
            event(#""kind":"testStarted","testID":"M.f()""#), event(#""kind":"testStarted","testID":"M.g()""#),
            event(#""kind":"valueAttached","messages":[{"symbol":"_attachment","text":"Attached 'x' to f()."}]"#),
            event(#""kind":"valueAttached","messages":[{"text":"saved"}],"attachment":{"path":"/x"}"#),
            event(#""kind":"testEnded","testID":"M.f()""#),
            event(#""kind":"testSkipped","testID":"M.h()","messages":[{"symbol":"skip","text":"because"}]"#),
            event(#""kind":"testCancelled","testID":"M.f()","messages":[],"_comments":["enough"]"#),
            event(#""kind":"somethingNew","testID":"M.f()""#))
        #expect(report.started == ["M.f()", "M.g()"])
        #expect(report.ended == ["M.f()"])
        #expect(report.skipped == ["M.h()": "because"])
        #expect(report.cancelled == ["M.f()": "enough"])
        #expect(report.lostAttachments == ["Attached 'x' to f()."])
        #expect(!report.hasEnded)
    }

    @Test("the end of the run is recognized")
    func end() {
        #expect(report(event(#""kind":"runEnded","messages":[]"#)).hasEnded)
    }

    @Test("a last line without an end is left out: the process died while it wrote")
    func cutOff() {
        let whole = event(#""kind":"runEnded","messages":[]"#)
        for length in 0..<whole.utf8.count {
            let report = EventReport(whole.utf8.prefix(length))
            #expect(!report.hasEnded && report.unreadable == [], "\(length)")
        }
    }

    @Test(
        "lines that are no records are kept as such, and the others are read",
        arguments: [
            "no JSON", "[]", "{}", "17", #"{"kind":"event"}"#, #"{"kind":"event","payload":{}}"#, #"{"kind":1}"#,
            #"{"kind":"event","payload":{"kind":"issueRecorded","messages":17}}"#, "\u{0}",
        ])
    func unreadable(line: String) {
        let report = report(line + "\n", event(#""kind":"runEnded""#))
        #expect(report.unreadable == [line])
        #expect(report.hasEnded)
    }

    @Test("bytes that are not text are not a record")
    func noText() {
        #expect(EventReport([0xFF, 0xFE, UInt8(ascii: "\n")]).unreadable.count == 1)
    }

    @Test("no output is an empty report", arguments: ["", "\n", "\n\n"])
    func empty(text: String) {
        #expect(EventReport(text.utf8) == EventReport([]))
    }

    @Test(
        "a place that Swift Testing would refuse is left out",
        arguments: [
            #"{"fileID":"F.swift","filePath":"/F","line":1,"column":1}"#,
            #"{"fileID":"/F.swift","filePath":"/F","line":1,"column":1}"#,
            #"{"fileID":"M/","filePath":"/F","line":1,"column":1}"#,
            #"{"fileID":"M/F.swift","filePath":"/F","line":0,"column":1}"#,
            #"{"fileID":"M/F.swift","filePath":"/F","line":1,"column":-1}"#,
            #"{"fileID":"M/F.swift","line":1,"column":1}"#, "{}",
        ])
    func places(json: String) {
        let report = report(event(#""kind":"issueRecorded","messages":[],"issue":{"sourceLocation":\#(json)}"#))
        #expect(report.issues == [EventReport.RecordedIssue(text: "An issue without a text")])
        #expect(report.unreadable == [])
    }
}
