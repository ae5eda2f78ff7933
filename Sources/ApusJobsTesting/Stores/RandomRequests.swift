import ApusCalendar
package import ApusJobs
import ApusTimers

/// Makes random requests.
///
/// Most fields are ordinary; some are at the limits of what is accepted, and some are beyond these limits.
package struct RandomRequests {
    private let random: SeededRandom
    private var count = 0

    package init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
    private func isOne(in count: Int) -> Bool { below(count) == 0 }
    private func one<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    /// Returns one of the rare values with a probability of 1 in 20, and otherwise the plain value.
    private func mostly<Value>(_ plain: @autoclosure () -> Value, _ rare: @autoclosure () -> [Value]) -> Value {
        isOne(in: 20) ? one(rare()) : plain()
    }

    /// Returns the next request, whose identifier is unique if it is valid.
    package mutating func next(conflict: ConflictPolicy = .update) -> JobRequest {
        count += 1
        var request = JobRequest(
            id: JobID(mostly("job-\(count)", ["\(count) " + text(255 - "\(count) ".utf8.count), "", text(256), "\0"])),
            kind: mostly("work", texts), trigger: trigger(), conflict: conflict)
        request.name = mostly(nil, ["name-\(count)", text(1_020), text(1_021), "", "a\0"])
        request.fairnessKey = mostly(nil, ["key", "", text(1_021), "\0"])
        request.idempotencyKey = mostly(nil, ["key-\(count)", "", text(256), "\0"])
        request.labels = mostly([:], dictionaries)
        request.metadata = mostly([:], dictionaries)
        request.payload = mostly([], [bytes(3), bytes(65_536), bytes(65_537)])
        request.queue = QueueID(mostly("default", ["a", String(repeating: "q", count: 64), "a b", "ä", "", "\0"]))
        request.priority = one(JobPriority.allCases)
        request.uniqueness = mostly(
            .identifier,
            [
                .payload(), .payload(within: duration()), .key(text(1_020)), .key("key", within: duration()),
                .key(text(1_021)), .key("\0"),
            ])
        policies(of: &request)
        return request
    }

    private func policies(of request: inout JobRequest) {
        request.policies.tolerance = mostly(.zero, durations)
        request.policies.grace = mostly(nil, durations)
        request.policies.timeLimit = mostly(nil, durations)
        request.policies.expiry = mostly(nil, durations)
        request.policies.retention = mostly(nil, durations)
        request.policies.missedRuns = mostly(one([.runOnce, .skip]), limits.map { .runAll(limit: $0) })
        request.policies.overlap = mostly(
            one([.skip, .replace, .queue(), .allow()]), limits.flatMap { [.queue(limit: $0), .allow(limit: $0)] })
        request.policies.retry = .exponential(
            attempts: mostly(1, limits), maximumLost: mostly(3, limits), from: mostly(.seconds(1), durations),
            to: mostly(.seconds(60), durations), jitter: mostly(0.2, [0, 1, 1.1, -0.1, .nan, .infinity]))
        request.policies.conditions = mostly(
            [], [.network, [.network, .externalPower, .idle], JobConditions(rawValue: 8)])
    }

    private func trigger() -> Trigger {
        let count = mostly(nil, counts.map(Optional.some))
        switch below(8) {
        case 0: return .at(instant())
        case 1, 2: return .after(mostly(.seconds(below(30)), durations))
        case 3, 4: return .every(mostly(.seconds(1 + below(30)), durations), count: count)
        case 5: return .every(mostly(.seconds(1 + below(30)), durations), anchoredAt: instant(), count: count)
        default:
            let cron = one(["* * * * * *", "0 9 * * 1-5", "0 0 29 2 *", "0 0 31 12 5", "30 2 * * *", "0 0 30 2 *"])
            guard let schedule = try? CalendarSchedule(cron: cron) else { return .after(.zero) }
            return .calendar(
                schedule, timeZone: mostly(one(["UTC", "Europe/Berlin", "Pacific/Apia"]), ["No/Where", "", "\0"]),
                gap: one([.after, .skip]), repeated: one([.first, .both]), count: count)
        }
    }

    private func instant() -> WallInstant {
        mostly(
            WallInstant(secondsSince1970: Int64(1_767_225_600 + below(60))),
            [0, 1, 1 << 62, UInt64(Int64.max) - 1, UInt64(Int64.max), .max - 1, .max]
                .map { WallInstant(nanoseconds: $0) })
    }

    private func duration() -> Duration { mostly(.seconds(below(60)), durations) }

    private var durations: [Duration] {
        [
            .zero, .nanoseconds(1), .milliseconds(1), .seconds(1) / 7, .seconds(86_400 * 366), .seconds(9_223_372_035),
            .nanoseconds(JobLimits.nanoseconds), .nanoseconds(Int64.max), .seconds(1e15), .seconds(1e19),
            Duration(secondsComponent: .max, attosecondsComponent: 0), .seconds(-1), .nanoseconds(Int64.min),
            Duration(secondsComponent: .min, attosecondsComponent: 0),
        ]
    }

    private var counts: [Int] { [1, 2, 1_000_000, JobLimits.count, JobLimits.count + 1, .max, 0, -1, .min] }

    private var limits: [Int] { [1, 2, JobLimits.occurrences, JobLimits.occurrences + 1, .max, 0, .min] }

    private var texts: [String] { [text(255), text(256), "", "\0", " a  b ", "'; DROP TABLE job; --", "{\"a\": 1}"] }

    private var dictionaries: [[String: String]] {
        [["a": "b"], ["": ""], ["a": text(8_191)], ["a": text(8_192)], ["\0": "a"], ["a": "\0"], ["'": "\"\\"]]
    }

    /// Returns a text of this number of bytes, made of characters of different lengths.
    private func text(_ bytes: Int) -> String {
        var text = ""
        while text.utf8.count < bytes {
            let scalar = one(["a", "ß", "€", "😀", "\u{10FFFF}", "\n", "\u{7F}", "%", "\\"] as [Unicode.Scalar])
            let character = String(scalar)
            text += text.utf8.count + character.utf8.count <= bytes ? character : "x"
        }
        return text
    }

    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
}
