#if Postgres
    import ApusJobs
    import ApusTimers

    /// What handlers do.
    enum JobKind: String, CaseIterable, Sendable {
        case quick
        /// Takes longer than most nodes live.
        case slow
        /// Fails at the first attempt of each second occurrence.
        case flaky
    }

    /// A job that a node is asked to submit.
    struct Submission: Sendable {
        enum When: Sendable {
            /// Nanoseconds since 1970, on the machine's clock.
            case at(UInt64)
            case after(milliseconds: Int)
            case every(milliseconds: Int, count: Int)
        }

        var number: Int
        var kind: JobKind
        var when: When
        var payload: Int

        var id: String { "job-\(number)" }

        var occurrences: Int {
            switch when {
            case .at, .after: 1
            case .every(_, let count): count
            }
        }

        /// When an occurrence is due at the earliest, if the job was submitted at `sent` or later.
        func due(_ occurrence: Int, sent: UInt64) -> UInt64 {
            switch when {
            case .at(let instant): instant
            case .after(let milliseconds): sent + UInt64(milliseconds) * 1_000_000
            case .every(let milliseconds, _): sent + UInt64(occurrence * milliseconds) * 1_000_000
            }
        }

        var line: String {
            let words: [String] =
                switch when {
                case .at(let instant): ["at", "\(instant)", "1"]
                case .after(let milliseconds): ["after", "\(milliseconds)", "1"]
                case .every(let milliseconds, let count): ["every", "\(milliseconds)", "\(count)"]
                }
            return "\(number) \(kind.rawValue) \(payload) \(words.joined(separator: " "))"
        }

        init(number: Int, kind: JobKind, when: When, payload: Int = 0) {
            (self.number, self.kind, self.when, self.payload) = (number, kind, when, payload)
        }

        init?(line: String) {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 6, let number = Int(words[0]), let kind = JobKind(rawValue: words[1]),
                let payload = Int(words[2]), let instant = UInt64(words[4]), let count = Int(words[5])
            else { return nil }
            let when: When
            switch words[3] {
            case "at": when = .at(instant)
            case "after": when = .after(milliseconds: Int(instant))
            case "every": when = .every(milliseconds: Int(instant), count: count)
            default: return nil
            }
            self.init(number: number, kind: kind, when: when, payload: payload)
        }

        var request: JobRequest {
            let trigger: Trigger =
                switch when {
                case .at(let instant): .at(WallInstant(nanoseconds: instant))
                case .after(let milliseconds): .after(.milliseconds(milliseconds))
                case .every(let milliseconds, let count): .every(.milliseconds(milliseconds), count: count)
                }
            let policies = JobPolicies(
                retry: RetryPolicy(
                    maximumAttempts: 5, maximumLost: 1_000, initialBackoff: .milliseconds(200),
                    maximumBackoff: .seconds(1)))
            return JobRequest(
                id: JobID(id), kind: kind.rawValue, trigger: trigger, policies: policies,
                payload: [UInt8](repeating: 0x61, count: payload))
        }
    }

    /// What became of a submission.
    struct SubmissionRecord: Sendable {
        var submission: Submission
        var node: String
        /// Before it was sent, in nanoseconds since 1970.
        var sent: UInt64
        var answered: UInt64?
        var refusal: String?
    }
#endif
