import ApusCalendar
import ApusTimers
import Foundation
import Testing

@testable import ApusClient
@testable import ApusDaemon

@Suite("A submission is read strictly")
struct StrictJSONTests {
    private func refusal(_ text: String) -> String {
        do {
            _ = try StrictJSON.decode(WireSubmission.self, from: Data(text.utf8))
            return "it was taken"
        } catch {
            return "\(error)"
        }
    }

    @Test("every valid submission is read as without strictness")
    func everything() throws {
        let submission = WireSubmission(
            name: "n", kind: "action", trigger: WireTrigger(every: "1h", anchor: "2026-01-01T00:00:00Z", count: 3),
            action: Action(
                command: .init(argv: ["a", "\"b\\"], shell: true, cwd: "/", env: ["A": "1", "\"": "2"]),
                webhook: "http://x", notify: "text"),
            policies: WirePolicies(
                tolerance: "1s", missed: "skip", overlap: "queue:2", retry: 3, timeout: "5m", expiry: "2h",
                when: ["idle", "power"]),
            labels: ["k": "v"], queue: "mail", priority: "high", fairnessKey: "a b")
        let data = try JSONEncoder().encode(submission)
        #expect(try StrictJSON.decode(WireSubmission.self, from: data) == submission)
        #expect(try JSONDecoder().decode(WireSubmission.self, from: data) == submission)
    }

    @Test("a command's shell and environment can be omitted, and are always written")
    func defaults() throws {
        let text = #"{"trigger":{"after":"1s"},"action":{"command":{"argv":["true"]}}}"#
        for submission in [
            try StrictJSON.decode(WireSubmission.self, from: Data(text.utf8)),
            try JSONDecoder().decode(WireSubmission.self, from: Data(text.utf8)),
        ] {
            #expect(submission.action.command == .init(argv: ["true"]))
            let written = String(decoding: try JSONEncoder().encode(submission), as: UTF8.self)
            #expect(written.contains(#""shell":false"#) && written.contains(#""env":{}"#))
        }
    }

    @Test(
        "an unknown field is refused at every depth, with its path and the known fields",
        arguments: [
            (
                #"{"trigger":{"after":"1s"},"action":{"notify":"x"},"policies":{"retyr":1}}"#,
                "unknown field policies.retyr; the known fields are tolerance, missed, overlap, retry, timeout, expiry, when, retention"
            ),
            (
                #"{"trigger":{"after":"1s","evry":"2s"},"action":{"notify":"x"}}"#,
                "unknown field trigger.evry; the known fields are at"
            ),
            (
                #"{"trigger":{"after":"1s"},"action":{"command":{"argv":["a"],"environment":{}}}}"#,
                "unknown field action.command.environment; the known fields are argv, shell, cwd, env"
            ),
            (
                #"{"trigger":{"after":"1s"},"action":{"notify":"x"},"id":"a"}"#,
                "unknown field id; the known fields are name, kind"
            ),
            (#"{"triger":{"after":"1s"},"action":{"notify":"x"}}"#, "unknown field triger"),
            (
                #"{"trigger":{"after":"1s"},"action":{"onSuccess":[{"notify":"x"},{"notfy":"x"}]}}"#,
                "unknown field action.onSuccess[1].notfy; the known fields are command"
            ),
        ])
    func unknown(text: String, complaint: String) { #expect(refusal(text).hasPrefix(complaint)) }

    @Test("labels and variables may have any name")
    func openObjects() throws {
        let text =
            #"{"trigger":{"after":"1s"},"action":{"command":{"argv":["a"],"env":{"X":"1"}}},"labels":{"trigger":"t"}}"#
        #expect(try StrictJSON.decode(WireSubmission.self, from: Data(text.utf8)).labels == ["trigger": "t"])
    }

    @Test(
        "a field that is given twice is refused with its path, however it is written",
        arguments: [
            (#"{"trigger":{"after":"1s"},"action":{"notify":"x"},"name":"a","name":"b"}"#, "name: "),
            (#"{"trigger":{"after":"1s","\u0061fter":"2s"},"action":{"notify":"x"}}"#, "trigger.after: "),
            (#"{"trigger":{"after":"1s"},"action":{"notify":"x"},"labels":{"a":"[{\"","b":"","a":"2"}}"#, "labels.a: "),
        ])
    func twice(text: String, path: String) { #expect(refusal(text).hasPrefix(path + "the field is given twice")) }

    @Test("equal names in different objects, or equal elements of an array, are accepted")
    func notTwice() throws {
        let text =
            #"{"name":"name","labels":{"name":"name"},"trigger":{"after":"1s"},"action":{"command":{"argv":["a","a","{","}"]}}}"#
        #expect(try StrictJSON.decode(WireSubmission.self, from: Data(text.utf8)).name == "name")
    }

    @Test(
        "a value of another form is refused with its path, what it must be, and what it is",
        arguments: [
            ("[]", "the document must be a JSON object, not an array"),
            ("null", "the document must be a JSON object, not null"), ("{}", "trigger: is missing"),
            (#"{"trigger":{"after":5}}"#, "trigger.after: must be a string, not 5"),
            (#"{"trigger":{"every":"1s","count":"5"}}"#, "trigger.count: must be a whole number, not a string"),
            (#"{"trigger":{"every":"1s","count":2.5}}"#, "trigger.count: must be a whole number, not 2.5"),
            (#"{"trigger":{"after":"1s"},"action":{"command":{}}}"#, "action.command.argv: is missing"),
            (
                #"{"trigger":{"after":"1s"},"action":{"command":{"argv":["a",null]}}}"#,
                "action.command.argv[1]: must be a string, not null"
            ),
            (
                #"{"trigger":{"after":"1s"},"action":{"command":{"argv":[],"shell":1}}}"#,
                "action.command.shell: must be true or false, not 1"
            ),
            (
                #"{"trigger":{"after":"1s"},"action":{"onFailure":{"notify":"x"}}}"#,
                "action.onFailure: must be an array, not a JSON object"
            ),
            (
                #"{"trigger":{"calendar":{"schedule":"daily","gap":"before"}},"action":{}}"#,
                "trigger.calendar.gap: must be one of after, skip"
            ),
            (
                #"{"name":null,"trigger":{"after":"1s"},"action":{"notify":"x"}}"#,
                "name: must not be null; leave it out"
            ),
        ])
    func otherForm(text: String, complaint: String) {
        let error = #expect(throws: DaemonError.self) {
            try StrictJSON.decode(WireSubmission.self, from: Data(text.utf8))
        }
        #expect(error?.code == .invalid && error?.message == complaint, "\(String(describing: error))")
    }

    @Test("a trigger without a form, with several, or with a field of another form is refused")
    func triggers() throws {
        for trigger in [
            WireTrigger(), WireTrigger(at: "2030-01-01T00:00:00Z", after: "1s"), WireTrigger(after: "1s", count: 2),
            WireTrigger(at: "2030-01-01T00:00:00Z", anchor: "2030-01-01T00:00:00Z"),
        ] {
            let error = #expect(throws: DaemonError.self) {
                try trigger.parsed(at: WallInstant(secondsSince1970: 0), in: ZoneDatabase.system)
            }
            #expect(error?.message.hasPrefix("trigger") == true)
        }
        #expect(throws: DaemonError.self) { try PolicyText.overlap("queue:+2") }
    }

    @Test(
        "names of a TLS proxy are accepted for a loopback address, as hosts with and without HTTPS's port",
        arguments: [
            ("https://jobs.example", ["jobs.example", "jobs.example:443"]),
            ("https://jobs.example:8443", ["jobs.example:8443"]), ("https://[::1]", ["[::1]", "[::1]:443"]),
        ])
    func secureNames(name: String, hosts: [String]) throws {
        let address = try HTTPAddress("127.0.0.1:7878", names: [name])
        #expect(address.secureNames == Set(hosts) && address.remoteNames.isEmpty)
    }

    @Test(
        "an invalid name of a TLS proxy is refused",
        arguments: [
            "https://", "https://jobs.example/", "https://jobs.example:0", "https://a b", "http://jobs.example",
            "jobs.example:443",
        ])
    func otherNames(name: String) {
        let error = #expect(throws: DaemonError.self) { try HTTPAddress("127.0.0.1:7878", names: [name]) }
        #expect(error?.message.hasPrefix("http-host: ") == true)
    }
}
