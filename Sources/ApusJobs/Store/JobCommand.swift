/// A command for the scheduler that owns a job.
public enum JobCommand: Hashable, Sendable {
    /// Submits jobs, all or none.
    case submit([JobRequest])
    /// Cancels a job (``JobScheduler/cancel(_:)``); with a key, only if the identifier refers to the job with that key.
    case cancel(JobID, key: Int64? = nil)
    /// Suspends a job (``JobScheduler/suspend(_:)``).
    case suspend(JobID)
    /// Resumes a job (``JobScheduler/resume(_:)``).
    case resume(JobID)
    /// Makes a run by hand (``JobScheduler/runNow(_:)``).
    case runNow(JobID)
    /// Cancels the run of an occurrence (``JobScheduler/cancelRun(_:occurrence:)``).
    case cancelRun(JobID, occurrence: Int)
    /// Retries the occurrence of a run (``JobScheduler/retry(_:occurrence:)``); `version` is the version of the job
    /// that the caller has read.
    indirect case retry(Run, version: Int64)

    /// Gives a job another definition (``JobScheduler/update(_:_:)``), if it has this key and is still defined as in
    /// `from`.
    indirect case update(JobRequest, from: JobRequest, key: Int64)

    /// The identifiers of the command's jobs.
    public var ids: [JobID] {
        switch self {
        case .submit(let requests): requests.map(\.id)
        case .cancel(let id, _), .suspend(let id), .resume(let id), .runNow(let id), .cancelRun(let id, _): [id]
        case .retry(let run, _): [run.jobID]
        case .update(let request, _, _): [request.id]
        }
    }
}

/// The result of a ``JobCommand``.
public enum JobReply: Hashable, Sendable {
    /// These jobs were changed, or already were as requested.
    case jobs([JobID])
    /// These jobs were submitted.
    case submitted([Submitted])
    /// This run was made or changed.
    indirect case run(Run)
    /// The command was refused, with the code and the message of a ``JobError``.
    case refused(code: String, message: String)

    /// The result of one request of a submission.
    public struct Submitted: Hashable, Sendable, Codable {
        /// The identifier of the job.
        public var job: JobID
        /// The effect of the submission.
        public var outcome: SubmissionOutcome
        /// Creates a result.
        public init(job: JobID, outcome: SubmissionOutcome) { (self.job, self.outcome) = (job, outcome) }
    }
}

extension JobCommand: Codable {
    /// Decodes an object whose `command` is the name of a case, such as `{"command": "cancel", "job": "backup"}`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldName.self)
        func job() throws -> JobID { try container.decode(JobID.self, forKey: "job") }
        let name = try container.decode(String.self, forKey: "command")
        switch name {
        case "submit": self = .submit(try container.decode([JobRequest].self, forKey: "requests"))
        case "cancel":
            self = .cancel(try job(), key: try container.decodeIfPresent(Int64.self, forKey: "key"))
        case "suspend": self = .suspend(try job())
        case "resume": self = .resume(try job())
        case "runNow": self = .runNow(try job())
        case "cancelRun":
            self = .cancelRun(try job(), occurrence: try container.decode(Int.self, forKey: "occurrence"))
        case "retry":
            self = .retry(
                try container.decode(Run.self, forKey: "run"),
                version: try container.decode(Int64.self, forKey: "version"))
        case "update":
            self = .update(
                try container.decode(JobRequest.self, forKey: "request"),
                from: try container.decode(JobRequest.self, forKey: "from"),
                key: try container.decode(Int64.self, forKey: "key"))
        default:
            throw DecodingError.unknown(
                name, accepted: ["submit", "cancel", "suspend", "resume", "runNow", "cancelRun", "retry", "update"],
                at: container.codingPath + [FieldName("command")])
        }
    }

    /// Encodes an object; see ``init(from:)``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        switch self {
        case .submit(let requests):
            try container.encode("submit", forKey: "command")
            try container.encode(requests, forKey: "requests")
        case .cancel(let id, let key):
            try container.encode("cancel", id)
            try container.encodeIfPresent(key, forKey: "key")
        case .suspend(let id): try container.encode("suspend", id)
        case .resume(let id): try container.encode("resume", id)
        case .runNow(let id): try container.encode("runNow", id)
        case .cancelRun(let id, let occurrence):
            try container.encode("cancelRun", id)
            try container.encode(occurrence, forKey: "occurrence")
        case .retry(let run, let version):
            try container.encode("retry", forKey: "command")
            try container.encode(run, forKey: "run")
            try container.encode(version, forKey: "version")
        case .update(let request, let former, let key):
            try container.encode("update", forKey: "command")
            try container.encode(request, forKey: "request")
            try container.encode(former, forKey: "from")
            try container.encode(key, forKey: "key")
        }
    }
}

extension JobReply: Codable {
    /// Decodes an object with `jobs`, with `submitted`, with `run`, or with `code` and `message`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldName.self)
        if let code = try container.decodeIfPresent(String.self, forKey: "code") {
            self = .refused(code: code, message: try container.decode(String.self, forKey: "message"))
        } else if let run = try container.decodeIfPresent(Run.self, forKey: "run") {
            self = .run(run)
        } else if let submitted = try container.decodeIfPresent([Submitted].self, forKey: "submitted") {
            self = .submitted(submitted)
        } else {
            self = .jobs(try container.decode([JobID].self, forKey: "jobs"))
        }
    }

    /// Encodes an object; see ``init(from:)``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        switch self {
        case .jobs(let ids): try container.encode(ids, forKey: "jobs")
        case .submitted(let submitted): try container.encode(submitted, forKey: "submitted")
        case .run(let run): try container.encode(run, forKey: "run")
        case .refused(let code, let message):
            try container.encode(code, forKey: "code")
            try container.encode(message, forKey: "message")
        }
    }
}

extension KeyedEncodingContainer<FieldName> {
    fileprivate mutating func encode(_ command: String, _ job: JobID) throws {
        try encode(command, forKey: "command")
        try encode(job, forKey: "job")
    }
}
