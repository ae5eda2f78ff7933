import ApusCalendar
import ApusJSON
import ApusJobs
import ApusTimers
import Foundation
import LoopbackWeb
import Testing

@testable import ApusClient

@Suite("The daemon's requests and answers about queues and runs")
struct QueueWireTests {
    private func change(_ text: String) throws -> WireQueueChange {
        try StrictJSON.decode(WireQueueChange.self, from: Array(text.utf8))
    }

    @Test("in a queue's change, an omitted field stays, null removes a setting, and a value sets it")
    func queueChange() throws {
        #expect(try change(#"{"paused":true}"#) == WireQueueChange(paused: true))
        #expect(try change(#"{"paused":true}"#).parsed() == [.paused(true)])
        #expect(try change(#"{"concurrency":null,"rate":null}"#).parsed() == [.concurrency(nil), .rate(nil)])
        let both = try change(#"{"concurrency":4,"rate":{"runs":100,"per":"PT1M"}}"#)
        #expect(try both.parsed() == [.concurrency(4), .rate(QueueRate(runs: 100, per: .seconds(60)))])
        #expect(try change(#"{"concurrencyPerKey":null}"#).parsed() == [.concurrencyPerKey(nil)])
        let perKey = try change(#"{"concurrency":4,"concurrencyPerKey":2}"#)
        #expect(try perKey.parsed() == [.concurrency(4), .concurrencyPerKey(2)])
        for change in [
            both, perKey, WireQueueChange(concurrency: .removed, paused: false),
            WireQueueChange(concurrencyPerKey: .removed), WireQueueChange(),
        ] {
            let bytes = try JSONText.bytes(of: change)
            #expect(try StrictJSON.decode(WireQueueChange.self, from: bytes) == change)
            #expect(try JSONDecoder().decode(WireQueueChange.self, from: Data(bytes)) == change)
        }
        #expect(try JSONText.bytes(of: WireQueueChange()) == Array("{}".utf8))
    }

    @Test(
        "a change without effect, with an unknown field or with a null elsewhere is refused",
        arguments: [
            ("{}", "nothing to change; give concurrency, concurrencyPerKey, rate or paused"),
            (#"{"limit":1}"#, "unknown field limit; the known fields are concurrency, concurrencyPerKey, rate, paused"),
            (#"{"paused":null}"#, "paused"), (#"{"rate":{"runs":1,"per":"soon"}}"#, "rate.per"),
            (#"{"rate":{"runs":null,"per":"1m"}}"#, "runs"),
        ])
    func refusedChange(text: String, expected: String) {
        let error = #expect(throws: (any Error).self) { try change(text).parsed() }
        #expect("\(error!)".contains(expected), "\(error!)")
    }

    @Test("a queue is sent with its limit per fairness key or null; an earlier daemon's has none")
    func queue() throws {
        var queue = JobQueue(id: "mail", concurrencyPerKey: 2)
        func wire() -> WireQueue { WireQueue(QueueStatus(queue: queue, runningCount: 0, waitingCount: 0)) }
        #expect(wire().concurrencyPerKey == 2 && wire().concurrency == nil)
        queue.concurrencyPerKey = nil
        #expect(wire().concurrencyPerKey == nil)
        #expect(String(decoding: try JSONText.bytes(of: wire()), as: UTF8.self).contains(#""concurrencyPerKey":null"#))
        let earlier = #"{"name":"mail","concurrency":1,"rate":null,"paused":false,"running":0,"waiting":0}"#
        let read = try JSONDecoder().decode(WireQueue.self, from: Data(earlier.utf8))
        #expect(read.concurrency == 1 && read.concurrencyPerKey == nil)
    }

    @Test("a job is sent with its queue, priority, fairness key and uniqueness")
    func job() throws {
        let instant = WallInstant(secondsSince1970: 1_800_000_000)
        var request = JobRequest(
            id: JobID("a"), trigger: .at(instant), queue: "builds", priority: .urgent, fairnessKey: "acme",
            uniqueness: .payload(within: .seconds(3_600)))
        func wire() -> WireJob {
            let job = Job(
                request: request, state: .scheduled, created: instant, updated: instant, firstDue: instant, nextDue: nil
            )
            return WireJob(job, lastRun: nil, waitingFor: [], parked: false)
        }
        #expect(wire().queue == "builds" && wire().priority == "urgent" && wire().unique?.within == "PT1H")
        #expect(wire().fairnessKey == "acme" && WireExportedJob(wire()).submission.fairnessKey == "acme")
        request.fairnessKey = nil
        #expect(String(decoding: try JSONText.bytes(of: wire()), as: UTF8.self).contains(#""fairnessKey":null"#))
        #expect(try wire().unique?.parsed() == request.uniqueness)
        request.uniqueness = .payload()
        #expect(wire().unique == WireUniqueness())
        request.uniqueness = .identifier
        #expect(wire().unique == nil)
        #expect(String(decoding: try JSONText.bytes(of: wire()), as: UTF8.self).contains(#""unique":null"#))
    }

    @Test("a submission's keys are those of its request; one without the fields has none")
    func keys() throws {
        let now = WallInstant(secondsSince1970: 1_800_000_000)
        func request(_ field: String) throws -> JobRequest {
            let text = #"{"trigger":{"after":"1h"},"action":{"notify":"x"}\#(field)}"#
            let submission = try StrictJSON.decode(WireSubmission.self, from: Array(text.utf8))
            return try submission.request(at: now, in: ZoneDatabase.system)
        }
        #expect(try request(#","fairnessKey":"acme 1""#).fairnessKey == "acme 1")
        #expect(try request("").fairnessKey == nil)
        #expect(try request(#","fairnessKey":"ä""#).fairnessKey == "\u{e4}")
        for key in ["", "a\\u0007", String(repeating: "x", count: 256)] {
            let error = #expect(throws: DaemonError.self) { try request(#","fairnessKey":"\#(key)""#) }
            #expect(error?.message.hasPrefix("fairnessKey: ") == true)
            let unique = #expect(throws: DaemonError.self) { try request(#","unique":{"key":"\#(key)"}"#) }
            #expect(unique?.message.hasPrefix("unique.key: ") == true)
        }
        #expect(try request(#","unique":{"key":"17","within":"PT1M"}"#).uniqueness == .key("17", within: .seconds(60)))
    }

    @Test("a change sets or removes a job's fairness key, and does not check an unchanged one")
    func changedFairnessKey() throws {
        let now = WallInstant(secondsSince1970: 1_800_000_000)
        let request = JobRequest(
            id: JobID("a"), kind: "action", trigger: .at(now), payload: Array(#"{"notify":"x"}"#.utf8),
            fairnessKey: "a\u{7}")
        func key(after text: String) throws -> String? {
            try StrictJSON.decode(WireJobChange.self, from: Array(text.utf8))
                .applied(to: request, at: now, in: ZoneDatabase.system).fairnessKey
        }
        #expect(try key(after: #"{"fairnessKey":"acme"}"#) == "acme")
        #expect(try key(after: #"{"fairnessKey":null}"#) == nil)
        #expect(try key(after: #"{"name":"n"}"#) == "a\u{7}")
        #expect(throws: DaemonError.self) { try key(after: #"{"fairnessKey":""}"#) }
        #expect(throws: DaemonError.self) { try key(after: #"{"unique":{"key":""}}"#) }
    }

    @Test("an unknown priority or conflict policy is refused with the accepted ones")
    func words() {
        let priority = #expect(throws: DaemonError.self) { try PolicyText.priority("highest") }
        #expect(priority?.message == "priority: \"highest\" is not one of low, normal, high, urgent")
        let conflict = #expect(throws: DaemonError.self) { try PolicyText.conflict("refuse") }
        #expect(conflict?.message == "conflict: \"refuse\" is not one of update, keep, replace")
    }

    @Test(
        "a result is sent as text if it is short UTF-8, and always with its size",
        arguments: [
            (Array("héllo".utf8), "héllo"), ([], ""), ([0xFF, 0x00], nil),
            (Array(repeating: UInt8(ascii: "x"), count: 4_097), nil),
        ])
    func result(bytes: [UInt8], text: String?) {
        let run = Run(
            jobKey: 1, jobID: JobID("a"), occurrence: 1, attempt: 1, due: WallInstant(secondsSince1970: 1),
            state: .succeeded, result: bytes, progress: RunProgress(fraction: 0.5, message: "half"))
        #expect(WireRun(run).result?.bytes == bytes.count && WireRun(run).result?.text == text)
        #expect(WireRun(run).progress?.fraction == 0.5 && WireRun(run).progress?.message == "half")
    }
}
