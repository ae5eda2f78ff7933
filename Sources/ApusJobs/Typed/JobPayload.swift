/// What a kind of jobs needs to know, as a Swift type.
///
/// ```swift
/// struct SendInvoice: JobPayload {
///     static let kind = "invoice.send"
///     var number: Int
///     var recipient: String
/// }
/// ```
///
/// A payload is kept as JSON with sorted keys (``JobRequest/payload``), at most 64 KiB. Equal values have equal bytes, so
/// that ``JobUniqueness/payload(within:)`` compares values; the exceptions are sets, and dictionaries whose keys are
/// neither strings nor integers, which JSON writes as lists in no particular order. Dates are numbers of seconds since
/// 2001-01-01, unless the type encodes them otherwise.
///
/// Jobs outlive the program that submitted them: give a property that is added later a default in `init(from:)`, or make
/// it optional. A payload that cannot be decoded is a final failure of its run.
public protocol JobPayload: Codable, Sendable {
    /// Names the kind of job (``JobRequest/kind``). It is in the store: do not change it while there are jobs of it.
    static var kind: String { get }
}
