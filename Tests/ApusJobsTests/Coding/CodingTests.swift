import ApusCalendar
import ApusJobs
import ApusTimers
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private func json<Value: Encodable>(_ value: Value) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

private func value<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(json.utf8))
}

private func instant(_ nanoseconds: UInt64) -> WallInstant { WallInstant(nanoseconds: nanoseconds) }

/// A value of the model and its JSON, with a check of both directions.
struct CodedExample: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var check: @Sendable () throws -> Void

    init<Value: Codable & Equatable & Sendable>(_ example: Value, _ text: String) {
        testDescription = "\(Value.self)"
        check = { () throws in
            #expect(try json(example) == text)
            #expect(try value(Value.self, text) == example)
        }
    }
}

/// JSON that is refused, with the words that the message must contain.
struct RefusedExample: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var read: @Sendable () throws -> Void
    var message: String

    init<Value: Decodable & Sendable>(_ type: Value.Type, _ json: String, _ message: String) {
        testDescription = json
        read = { _ = try value(type, json) }
        self.message = message
    }
}

private let fullPolicies = JobPolicies(
    tolerance: .milliseconds(1_500), missedRuns: .runAll(limit: 7), grace: .nanoseconds(1_000_001),
    expiry: .seconds(600), overlap: .queue(limit: 3),
    retry: RetryPolicy.exponential(
        attempts: 9, maximumLost: 2, from: .milliseconds(250), to: .seconds(8),
        jitter: 0.125),
    timeLimit: .seconds(90), conditions: [.network, .idle], retention: .seconds(86_400))

private let retryText = """
    {"initialBackoffNanoseconds":250000000,"jitter":0.125,"maximumAttempts":9,"maximumBackoffNanoseconds":8000000000,\
    "maximumLost":2}
    """

private let policiesText = """
    {"conditions":["network","idle"],"expiryNanoseconds":600000000000,"graceNanoseconds":1000001,"missedRuns":{"limit":7,"name":"runAll"},\
    "overlap":{"limit":3,"name":"queue"},"retentionNanoseconds":86400000000000,"retry":\(retryText),"timeLimitNanoseconds":90000000000,\
    "toleranceNanoseconds":1500000000}
    """

private let fullRequest = JobRequest(
    id: JobID("com.example.refresh"), name: "Refresh", kind: "refresh", trigger: .every(.seconds(3_600), count: 12),
    policies: fullPolicies, labels: ["team": "a/b"], payload: [0, 255, 7], queue: "mail",
    priority: .high, fairnessKey: "é", metadata: ["traceparent": "00"], uniqueness: .payload(within: .seconds(60)),
    conflict: .keep,
    idempotencyKey: "k1")

private let requestText = """
    {"conflict":"keep","fairnessKey":"é","id":"com.example.refresh","idempotencyKey":"k1","kind":"refresh","labels":{"team":"a/b"},\
    "metadata":{"traceparent":"00"},"name":"Refresh","payload":"AP8H","policies":\(policiesText),"priority":"high",\
    "queue":"mail","trigger":{"count":12,"intervalNanoseconds":3600000000000,"name":"every"},\
    "uniqueness":{"by":"payload","withinNanoseconds":60000000000}}
    """

private let fullJob = Job(
    request: fullRequest, key: 5, version: 6, state: .suspended, created: instant(1_767_225_600_000_000_000),
    updated: instant(1_767_225_601_000_000_000), firstDue: instant(1_767_229_200_000_000_000), origin: 1,
    nextOccurrence: 3,
    nextDue: instant(1_767_236_400_000_000_000), remainder: .milliseconds(250), occurrenceCount: 2, missedCount: 1,
    wake: instant(1_767_236_400_000_000_001), elapsedWake: instant(1_767_236_400_000_000_002), openRunCount: 4,
    runsSinceRetired: 7, keptUntil: instant(1_767_236_400_000_000_003))

private let jobText = """
    {"created":1767225600000000000,"elapsedWake":1767236400000000002,"first":1767229200000000000,"keptUntil":1767236400000000003,"key":5,\
    "missed":1,"nextDue":1767236400000000000,"nextOccurrence":3,"occurrences":2,"openRuns":4,"origin":1,\
    "remainderNanoseconds":250000000,"request":\(requestText),"runsSinceRetired":7,"state":"suspended",\
    "updated":1767225601000000000,"version":6,"wake":1767236400000000001}
    """

private let fullRun = Run(
    jobKey: 5, jobID: JobID("com.example.refresh"), occurrence: 4, through: 6, attempt: 3, lostBefore: 2,
    due: instant(1),
    standsFor: 5, state: .failed, isFinal: true, reason: "exit code 3", notBefore: instant(2), claimed: instant(3),
    started: instant(4), finished: instant(5), exitCode: -9, output: Array("no\n".utf8), result: [1],
    progress: RunProgress(fraction: 0.5, message: "half"))

private let runText = """
    {"attempt":3,"claimed":3,"due":1,"exitCode":-9,"finished":5,"isFinal":true,"job":"com.example.refresh","jobKey":5,\
    "lostBefore":2,"notBefore":2,"occurrence":4,"output":"bm8K","progress":{"fraction":0.5,"message":"half"},\
    "reason":"exit code 3","result":"AQ==","standsFor":5,"started":4,"state":"failed","through":6}
    """

private let dailyAtNine = CalendarSchedule(
    .fields(CalendarFields(times: .grid(hours: 1 << 9, minutes: 1, seconds: 1), days: DayRule())))

@Suite("The coded form of jobs")
struct CodingTests {
    @Test("random values are read back as they were written", arguments: 0..<20 as Range<UInt64>)
    func roundTrips(seed: UInt64) throws {
        let model = RandomModel(seed: seed)
        for _ in 0..<100 {
            let job = model.job()
            #expect(try value(Job.self, json(job)) == job)
            let run = model.run()
            #expect(try value(Run.self, json(run)) == run)
            let queue = model.queue()
            #expect(try value(JobQueue.self, json(queue)) == queue)
        }
    }

    @Test(
        "the JSON of each type is exactly this",
        arguments: [
            CodedExample(instant(.max), "18446744073709551615"),
            CodedExample(JobID("com.example.refresh"), "\"com.example.refresh\""),
            CodedExample(
                Trigger.at(instant(1_767_225_600_000_000_001)), #"{"instant":1767225600000000001,"name":"at"}"#),
            CodedExample(Trigger.after(.seconds(1_500)), #"{"delayNanoseconds":1500000000000,"name":"after"}"#),
            CodedExample(
                Trigger.every(.seconds(60), anchoredAt: instant(30), count: 3),
                #"{"anchor":30,"count":3,"intervalNanoseconds":60000000000,"name":"every"}"#),
            CodedExample(
                Trigger.calendar(dailyAtNine, timeZone: "Europe/Berlin", repeated: .both, count: 3),
                #"{"count":3,"gap":"after","name":"calendar","repeated":"both","#
                    + #""schedule":{"rule":"every day at 9:00"},"timeZone":"Europe/Berlin"}"#),
            CodedExample([MissedRunPolicy.runOnce, .skip], #"[{"name":"runOnce"},{"name":"skip"}]"#),
            CodedExample(MissedRunPolicy.runAll(limit: 5), #"{"limit":5,"name":"runAll"}"#),
            CodedExample([OverlapPolicy.skip, .replace], #"[{"name":"skip"},{"name":"replace"}]"#),
            CodedExample(
                [OverlapPolicy.queue(limit: 5), .allow(limit: 6)],
                #"[{"limit":5,"name":"queue"},{"limit":6,"name":"allow"}]"#),
            CodedExample(fullPolicies.retry, retryText),
            CodedExample(ConflictPolicy.allCases, #"["update","replace","keep","refuse"]"#),
            CodedExample(
                JobReply.submitted(SubmissionOutcome.allCases.map { .init(job: "a", outcome: $0) }),
                #"{"submitted":["#
                    + ["inserted", "updated", "rescheduled", "replaced", "kept", "joined"]
                    .map { #"{"job":"a","outcome":"\#($0)"}"# }.joined(separator: ",") + "]}"),
            CodedExample(
                [JobConditions(), [.network, .externalPower, .idle]], #"[[],["network","externalPower","idle"]]"#),
            CodedExample(fullPolicies, policiesText),
            CodedExample(fullRequest, requestText),
            CodedExample(JobState.allCases, #"["scheduled","suspended","cancelled","finished"]"#),
            CodedExample(
                RunState.allCases,
                #"["waiting","claimed","succeeded","failed","skipped","lost","cancelled"]"#),
            CodedExample(fullJob, jobText),
            CodedExample(fullRun, runText),
        ])
    func exactText(example: CodedExample) throws { try example.check() }

    @Test(
        "a fraction of a nanosecond is kept in a field of its own, which is positive",
        arguments: [
            (Duration(secondsComponent: 1, attosecondsComponent: 1), #""remainderAttoseconds":1,"#, "1000000000"),
            (
                Duration(secondsComponent: -1, attosecondsComponent: -1), #""remainderAttoseconds":999999999,"#,
                "-1000000001"
            ),
            (.nanoseconds(-5), "", "-5"),
            (.nanoseconds(Int64.max), "", "9223372036854775807"),
            (.nanoseconds(Int64.min), "", "-9223372036854775808"),
        ])
    func fractions(duration: Duration, fraction: String, nanoseconds: String) throws {
        var job = fullJob
        job.remainder = duration
        let text = try json(job)
        #expect(text.contains(fraction + "\"remainderNanoseconds\":\(nanoseconds),"))
        #expect(text.contains("Attoseconds") == !fraction.isEmpty)
        #expect(try value(Job.self, text) == job)
    }

    @Test(
        "a duration that has no form in JSON is an error, however long it is",
        arguments: [
            Duration.nanoseconds(Int64.max) + .nanoseconds(1), .seconds(1e15), .seconds(1e19), .seconds(-1e19),
            Duration(secondsComponent: .min, attosecondsComponent: 0),
        ])
    func longDurations(duration: Duration) {
        var job = fullJob
        job.remainder = duration
        #expect(throws: EncodingError.self) { try json(job) }
        #expect(duration.wholeNanoseconds == (duration < .zero ? .min : .max))
    }

    @Test("a missing or null field has its default, and unknown keys are ignored")
    func defaults() throws {
        let minimal = JobRequest(id: JobID("a"), trigger: .after(.nanoseconds(1)))
        let text = #"{"id":"a","trigger":{"name":"after","delayNanoseconds":1}}"#
        #expect(try value(JobRequest.self, text) == minimal)
        #expect(try value(JobPolicies.self, "{}") == JobPolicies())
        #expect(try value(JobPolicies.self, #"{"graceNanoseconds":null,"later":{}}"#) == JobPolicies())
        #expect(try value(JobPolicies.self, #"{"retry":{}}"#).retry == RetryPolicy.never)
        #expect(try value(MissedRunPolicy.self, #"{"name":"runAll"}"#) == .runAll())
        #expect(try value(OverlapPolicy.self, #"{"name":"queue","later":1}"#) == .queue())
        #expect(try value(Trigger.self, #"{"name":"every","intervalNanoseconds":1}"#) == .every(.nanoseconds(1)))
        #expect(
            try value(Job.self, #"{"request":\#(text),"state":"scheduled","created":1,"updated":2,"first":3}"#)
                == Job(
                    request: minimal, state: .scheduled, created: instant(1), updated: instant(2), firstDue: instant(3),
                    nextDue: nil, wake: nil))
        #expect(
            try value(Run.self, #"{"jobKey":1,"job":"a","occurrence":7,"attempt":1,"due":3,"state":"waiting"}"#)
                == Run(jobKey: 1, jobID: JobID("a"), occurrence: 7, attempt: 1, due: instant(3), state: .waiting))
    }

    @Test(
        "unreadable JSON is refused, and the message lists the accepted forms",
        arguments: [
            RefusedExample(Trigger.self, #"{"name":"cron"}"#, #""cron" is not one of at, after, every, calendar"#),
            RefusedExample(MissedRunPolicy.self, #"{"name":"x"}"#, #""x" is not one of runOnce, skip, runAll"#),
            RefusedExample(OverlapPolicy.self, #"{"name":"x"}"#, #""x" is not one of skip, queue, allow, replace"#),
            RefusedExample(ConflictPolicy.self, #""x""#, #""x" is not one of update, replace, keep, refuse"#),
            RefusedExample(
                JobConditions.self, #"["idle","x"]"#, #""x" is not one of network, externalPower, idle"#),
            RefusedExample(
                JobState.self, #""x""#, #""x" is not one of scheduled, suspended, cancelled, finished"#),
            RefusedExample(
                RunState.self, #""running""#,
                #""running" is not one of waiting, claimed, succeeded, failed, skipped, lost, cancelled"#),
            RefusedExample(Trigger.self, #"{"name":"after"}"#, "delayNanoseconds: an integer is missing"),
            RefusedExample(
                JobPolicies.self, #"{"toleranceNanoseconds":1,"toleranceAttoseconds":1000000000}"#,
                "toleranceAttoseconds: must be 0 to 999999999, not 1000000000"),
            RefusedExample(
                JobRequest.self, #"{"id":"a","trigger":{"name":"at","instant":1},"payload":"?"}"#,
                "payload: must be base64"),
        ])
    func refusals(example: RefusedExample) throws {
        let error = #expect(throws: DecodingError.self) { try example.read() }
        switch error {
        case .dataCorrupted(let context), .keyNotFound(_, let context):
            #expect(context.debugDescription == example.message)
        default: Issue.record("\(String(describing: error))")
        }
    }

    @Test("an unknown name is reported with its position")
    func path() throws {
        let text = #"{"id":"a","trigger":{"name":"at","instant":1},"policies":{"overlap":{"name":"x"}}}"#
        let error = #expect(throws: DecodingError.self) { try value(JobRequest.self, text) }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["policies", "overlap", "name"])
    }

    @Test("durations over 292 years and unknown condition bits cannot be encoded")
    func unwritable() {
        #expect(throws: EncodingError.self) { try json(Trigger.after(.seconds(9_223_372_037))) }
        #expect(throws: EncodingError.self) { try json(JobPolicies(tolerance: .seconds(Int64.min))) }
        #expect(throws: EncodingError.self) { try json(JobConditions(rawValue: 8)) }
    }
}
