/// What must be true of the store, on any node, when a submission is carried out.
package struct SubmissionTerms: Hashable, Sendable {
    /// Refuses a new job (``JobError/Code/alreadyExists``) whose name a job has that has not ended.
    package var requiresFreeName = false
    /// Refuses a new job (``JobError/Code/alreadyExists``) if others than these have the label and have not ended. It is
    /// not encoded, because a new job is made by the scheduler that is asked.
    package var onlyBeside: LabelledJobs?
    /// Refuses to change or replace (``JobError/Code/conflict``) a job that does something else.
    package var replaces: JobContent?

    package init() {}

    func check(replacing job: Job) throws(JobError) {
        guard let replaces, replaces != JobContent(job.request) else { return }
        throw JobError(code: .conflict, message: "\(job.id): the job is no longer as it was; read it again")
    }
}

/// What a job does.
package struct JobContent: Hashable, Sendable {
    package var kind: String
    package var payload: [UInt8]

    package init(_ request: JobRequest) { (kind, payload) = (request.kind, request.payload) }
    fileprivate init() { (kind, payload) = ("", []) }
}

extension SubmissionTerms: Codable {
    /// Whether a term is encoded. `onlyBeside` never is.
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
