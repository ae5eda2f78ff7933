import ApusCalendar
import ApusJobs
import ApusTimers
import Foundation
import Testing

@testable import ApusClient
@testable import ApusDaemon

@Suite("The daemon's requests and answers")
struct WireTests {
    @Test("policies survive a round trip through text", arguments: ["run-once", "skip", "run-all:7"])
    func missedRuns(text: String) throws { #expect(PolicyText.format(try PolicyText.missedRuns(text)) == text) }

    @Test("overlap policies survive a round trip through text", arguments: ["skip", "queue:3", "allow:2", "replace"])
    func overlap(text: String) throws { #expect(PolicyText.format(try PolicyText.overlap(text)) == text) }

    @Test(
        "conditions survive a round trip through words",
        arguments: [["network"], ["power"], ["idle"], ["network", "power", "idle"]])
    func conditions(words: [String]) throws {
        let policies = try WirePolicies(when: words).parsed()
        #expect(WirePolicies(policies).when == words)
        #expect(WirePolicies(JobPolicies()).when == nil, "left out like what is not set")
        #expect(try WirePolicies(when: words.reversed()).parsed() == policies)
    }

    @Test(
        "an unknown or repeated condition is refused with the accepted ones",
        arguments: [["wifi"], ["network", ""], ["Power"], ["idle", "network", "idle"]])
    func otherConditions(words: [String]) {
        let error = #expect(throws: DaemonError.self) { try WirePolicies(when: words).parsed() }
        #expect(error?.message.hasPrefix("when: ") == true)
        #expect(error?.message.contains("network, power, idle") == true)
    }

    @Test("a job is sent with its unmet conditions, or null when it waits for none")
    func waitingFor() throws {
        let instant = WallInstant(secondsSince1970: 1_800_000_000)
        let request = JobRequest(
            id: JobID("a"), trigger: .at(instant), policies: .init(conditions: [.network, .externalPower]))
        let job = Job(
            request: request, state: .scheduled, created: instant, updated: instant, firstDue: instant, nextDue: nil,
            wake: instant)
        func json(_ waitingFor: JobConditions, parked: Bool = false) throws -> [String: Any]? {
            let data = try JSONEncoder().encode(WireJob(job, lastRun: nil, waitingFor: waitingFor, parked: parked))
            return try JSONSerialization.jsonObject(with: data) as? [String: Any]
        }
        #expect(try json([.externalPower, .idle])?["waitingFor"] as? [String] == ["power", "idle"])
        #expect(try json([])?["waitingFor"] is NSNull)
        #expect(try json([])?["parked"] as? Bool == false)
        var parked = try #require(try json([], parked: true))
        #expect(parked.removeValue(forKey: "parked") as? Bool == true)
        let ofEarlierDaemon = try JSONSerialization.data(withJSONObject: parked)
        #expect(try JSONDecoder().decode(WireJob.self, from: ofEarlierDaemon).parked == false)
        #expect((try json([])?["policies"] as? [String: Any])?["when"] as? [String] == ["network", "power"])
        #expect(PolicyText.reasons(["network", "power"]) == "no network, no external power")
    }

    @Test("a trigger survives the wire")
    func triggers() throws {
        let instant = WallInstant(secondsSince1970: 1_800_000_000)
        for trigger in [
            Trigger.at(instant), .after(.seconds(90)), .every(.milliseconds(250)),
            .every(.seconds(5), anchoredAt: instant, count: 4),
        ] {
            #expect(try WireTrigger(trigger).parsed(at: instant, in: ZoneDatabase.system) == trigger)
        }
        #expect(throws: DaemonError.self) {
            try WireTrigger(at: "2030-01-01T00:00:00.000Z", after: "5s").parsed(at: instant, in: ZoneDatabase.system)
        }
    }

    @Test(
        "a schedule survives the wire, whenever it is read again",
        arguments: [
            WireCalendar(schedule: "every 2 weeks on friday 17:00", zone: "Europe/Berlin", gap: .skip, repeated: .both),
            WireCalendar(
                schedule: "H 9 * * 1-5", zone: "UTC", count: 3, from: "2026-01-01", until: "2027-06-30 12:00",
                except: ["2026-12-24", "2026-12-24/2026-12-31", "every month on the last friday at 9:00"], spread: "10m"
            ),
            WireCalendar(schedule: "RRULE:FREQ=MONTHLY;BYDAY=-1FR", zone: "America/New_York"),
            WireCalendar(schedule: "Mon..Fri 09:00 Australia/Lord_Howe", zone: "UTC"),
            WireCalendar(schedule: "0 0 9 LW * * 2027", zone: "UTC"),
        ])
    func calendars(_ calendar: WireCalendar) throws {
        let now = WallInstant(secondsSince1970: 1_790_000_000)
        let trigger = try calendar.parsed(at: now, in: ZoneDatabase.system) { $0 }
        let again = try WireCalendar(trigger)
            .parsed(at: now.advanced(by: .seconds(1_000_000)), in: ZoneDatabase.system) { $0 }
        #expect(again == trigger)
    }

    @Test(
        "each part of a schedule that cannot be read is named, with what is accepted",
        arguments: [
            (WireCalendar(schedule: "every foo"), "schedule"), (WireCalendar(schedule: "@daily", zone: "Mars"), "zone"),
            (WireCalendar(schedule: "09:00 Mars/Olympus"), "schedule"),
            (WireCalendar(schedule: "@daily", from: "2026-13-01"), "from"),
            (WireCalendar(schedule: "@daily", until: "tomorrow"), "until"),
            (WireCalendar(schedule: "@daily", from: "2026-01-02", until: "2026-01-01"), "until"),
            (WireCalendar(schedule: "@daily", except: ["2026-12-26/2026-12-24"]), "except"),
            (WireCalendar(schedule: "@daily", spread: "1.5s"), "spread"),
            (WireCalendar(schedule: "@daily", count: 0), "count"), (WireCalendar(schedule: #"{"rule":1}"#), "schedule"),
        ])
    func unreadable(_ calendar: WireCalendar, _ field: String) {
        let error = #expect(throws: TextError.self) {
            try calendar.parsed(at: WallInstant(secondsSince1970: 1_790_000_000), in: ZoneDatabase.system) { $0 }
        }
        #expect(error?.argument == field && error?.acceptedForms.isEmpty == false)
    }

    @Test("the home is APUS_HOME, else in the state folder, else in the user's folder")
    func homes() throws {
        let own = try Home(environment: ["APUS_HOME": "/a/b/", "XDG_RUNTIME_DIR": "/run/user/1"])
        #expect(own.path == "/a/b" && own.socketPath == "/a/b/apus.sock")
        let state = try Home(environment: ["XDG_STATE_HOME": "/s", "HOME": "/h", "XDG_RUNTIME_DIR": "/run/user/1"])
        #expect(state.path == "/s/apus" && state.socketPath == "/s/apus/apus.sock", "a home that is not there has none")
        #expect(try Home(environment: ["HOME": "/h"]).path == "/h/.local/state/apus")
        #expect(throws: DaemonError.self) { try Home(environment: [:]) }
    }

    @Test("a socket path that the system cannot hold is refused with its length")
    func longSocketPath() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/" + String(repeating: "x", count: 100)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let error = #expect(throws: DaemonError.self) { try Home(path: folder).prepare() }
        #expect(error?.message.contains("APUS_HOME") == true)
    }

    @Test(
        "only loopback addresses are accepted",
        arguments: [
            ("127.0.0.1:80", "127.0.0.1"), ("[::1]:9", "::1"), ("localhost:1", "localhost"), ("7878", "127.0.0.1"),
        ])
    func addresses(text: String, host: String) throws { #expect(try HTTPAddress(text).host == host) }

    @Test(
        "addresses other than loopback are refused",
        arguments: ["0.0.0.0:80", "example.com:80", "127.0.0.1:99999", "127.0.0.1:", "", "192.168.1.1:80"])
    func otherAddresses(text: String) { #expect(throws: DaemonError.self) { try HTTPAddress(text) } }

    @Test("a command is shown so that a shell would understand it")
    func quoting() {
        let command = Action.Command(argv: ["notify-send", "it's tea", "", "$HOME", "a=b"])
        #expect(command.text == #"notify-send 'it'\''s tea' '' '$HOME' a=b"#)
    }

    @Test("server-sent events are read from pieces of any size")
    func events() {
        let text = ": hello\n\nevent: run\ndata: {\"a\":1}\n\ndata: x\n\n"
        for size in 1...text.utf8.count {
            var parser = EventParser()
            var events: [DaemonClient.Event] = []
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                events += parser.append(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(
                events.map(\.name) == ["run", "message"]
                    && events.map { String(decoding: $0.data, as: UTF8.self) } == [#"{"a":1}"#, "x"])
        }
    }

    @Test("the socket answers to the daemon's own user and to root, and to no other user")
    func peers() {
        #expect(PeerCheck.admits(1_000, daemon: 1_000) && PeerCheck.admits(0, daemon: 1_000))
        #expect(!PeerCheck.admits(1_001, daemon: 1_000) && !PeerCheck.admits(65_534, daemon: 0))
    }

    @Test("the end of a long output is stored")
    func tail() {
        let tail = OutputTail()
        for number in 0..<100_000 { tail.append(Array("\(number)\n".utf8)) }
        let text = String(decoding: tail.bytes, as: UTF8.self)
        #expect(text.hasSuffix("99998\n99999\n") && text.utf8.count <= 128 * 1024)
    }
}
