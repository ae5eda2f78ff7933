import ApusTimers
import Foundation
import LoopbackWeb
import SleeplessApp
import Testing

@testable import Sleepless

@MainActor
@Suite("The advice of Sleepless's errors")
struct AdviceTests {
    private let phone = PhoneStage(seed: 0, speed: 0, lives: false)

    private func tap(_ name: String, _ body: String) throws {
        try AppTaps.perform(name, try Arguments(Data(body.utf8)), in: try phone.appInFront())
        phone.settle()
    }

    private func open() async throws { try await phone.control("open", try Arguments(Data())) }

    @Test(
        "an empty number is answered with the unit and a range, of which both ends are accepted",
        arguments: [
            ("timer/go", "delay", ""), ("timer/go", "repeat", #""delay":1,"#), ("countdown/start", "seconds", ""),
            ("refresh/schedule", "earliest", #""kind":"refresh","#),
        ])
    func ranges(name: String, argument: String, others: String) async throws {
        try await open()
        let error = #expect(throws: WebError.self) { try tap(name, #"{\#(others)"\#(argument)":"soon"}"#) }
        let found = try #require(error).message.firstMatch(of: /of seconds from (-?[0-9.]+) to ([0-9.]+)$/)
        let (_, lowest, highest) = try #require(found).output
        for number in [lowest, highest] { try tap(name, #"{\#(others)"\#(argument)":\#(number)}"#) }
        let beyond = try #require(Double(highest)) + 1
        #expect(throws: WebError.self) { try tap(name, #"{\#(others)"\#(argument)":\#(beyond)}"#) }
    }

    @Test("a countdown is not shortened to nothing; the error says how much is left")
    func shortened() async throws {
        try await open()
        try tap("countdown/start", #"{"seconds":100}"#)
        let error = #expect(throws: AppError.self) { try tap("countdown/add", #"{"seconds":-100}"#) }
        #expect(error?.message == "`seconds` is -100, which leaves nothing; pass more than -100")
        try tap("countdown/add", #"{"seconds":-99.5}"#)
        try tap("countdown/add", #"{"seconds":31536000}"#)
    }

    @Test(
        "each form of an instant that an error names is accepted",
        arguments: [
            #""tomorrow""#, #""tomorrow 9:00""#, #""9:00""#, #""2027-01-01""#, #""2027-01-01T10:00:00""#,
            #""2025-01-01T10:00:00Z""#, #""""#, "7",
        ])
    func instants(text: String) async throws {
        try await open()
        let error = #expect(throws: WebError.self) { try tap("countdown/start", #"{"at":\#(text)}"#) }
        let message = try #require(error).message
        #expect(message.contains("`at`"))
        let forms = try #require(message.range(of: "as in ")).upperBound
        let named = message[forms...].components(separatedBy: " or ")
        #expect(named.count == 2)
        for form in named { try tap("countdown/start", #"{"at":"\#(form)"}"#) }
        // The message quotes the sent text at most once.
        #expect(message.count(where: { $0 == "“" }) <= 1)
    }

    @Test("no tap and no control takes an argument that it does not know, and nothing has happened then")
    func unknown() async throws {
        try await open()
        let body = try Arguments(Data(#"{"foo":1}"#.utf8))
        let known = phone.lastLine
        for (name, accepted) in AppTaps.accepted {
            let error = #expect(throws: WebError.self, "\(name)") {
                try AppTaps.perform(name, body, in: try phone.appInFront())
            }
            #expect(error?.code == "invalid")
            for word in accepted + ["foo"] { #expect(error?.message.contains("`\(word)`") == true, "\(name)") }
        }
        for name in PhoneControls.accepted.keys {
            let error = await #expect(throws: WebError.self, "\(name)") { try await phone.control(name, body) }
            #expect(error?.message.contains("`foo`") == true, "\(name)")
        }
        #expect(phone.lastLine == known)
    }

    @Test("each listed tap and control is there")
    func listed() async throws {
        // A tap or a control that is listed but not implemented ends the process.
        for name in AppTaps.accepted.keys.sorted() {
            try await open()
            _ = try? tap(name, "")
        }
        for name in PhoneControls.accepted.keys.sorted() where !["skip-day", "next-event"].contains(name) {
            try? await phone.control(name, try Arguments(Data()))
        }
    }

    @Test("two ways to say the same are not taken together")
    func both() async throws {
        try await open()
        #expect(throws: WebError.self) {
            try tap("countdown/start", #"{"seconds":5,"at":"2027-01-01T10:00:00Z"}"#)
        }
        await #expect(throws: WebError.self) {
            try await phone.control("scroll", try Arguments(Data(#"{"on":true,"seconds":3}"#.utf8)))
        }
    }
}
