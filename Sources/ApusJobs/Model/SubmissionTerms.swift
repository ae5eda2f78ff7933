/// A submission's requirements on the store's contents; the node that carries out the submission checks them.
package struct SubmissionTerms: Hashable, Sendable {
    /// Whether a new job is refused (``JobError/Code/alreadyExists``) if a job that has not ended has its name.
    package var requiresFreeName = false
    /// A label, and the jobs that are known to have it; a new job is refused if another job with the label has not
    /// ended.
    ///
    /// The error is ``JobError/Code/alreadyExists``. This term is not encoded, because the scheduler that receives the
    /// submission makes the new job itself.
    package var onlyBeside: LabelledJobs?
    /// The content that an existing job must have to be changed or replaced; otherwise the submission is refused
    /// (``JobError/Code/conflict``).
    package var replaces: JobContent?

    package init() {}

    func check(replacing job: Job) throws(JobError) {
        guard let replaces, replaces != JobContent(job.request) else { return }
        throw JobError(code: .conflict, message: "\(job.id): the job has changed since it was read; read it again")
    }
}

/// The kind and the payload of a job.
package struct JobContent: Hashable, Sendable {
    package var kind: String
    package var payload: [UInt8]

    package init(_ request: JobRequest) { (kind, payload) = (request.kind, request.payload) }
    fileprivate init() { (kind, payload) = ("", []) }
}

extension SubmissionTerms: Codable {
    /// Whether any term is encoded; `onlyBeside` never is.
    var isCoded: Bool { requiresFreeName || replaces != nil }

    private static let optionalFields: [CodedField<Self>] = [
        .init("requiresFreeName", \.requiresFreeName), .init("replaces", \.replaces),
    ]

    package init(from decoder: any Decoder) throws {
        self.init()
        try Self.optionalFields.decode(into: &self, from: try decoder.container(keyedBy: FieldName.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        try Self.optionalFields.encode(self, to: &container)
    }
}

extension JobContent: Codable {
    private static let fields: [CodedField<Self>] = [
        .init("kind", \.kind), .init(bytes: "payload", \.payload),
    ]

    package init(from decoder: any Decoder) throws {
        self.init()
        try Self.fields.decode(into: &self, from: try decoder.container(keyedBy: FieldName.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        try Self.fields.encode(self, to: &container)
    }
}
