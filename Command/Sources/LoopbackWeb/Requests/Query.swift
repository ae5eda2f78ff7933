public import Hummingbird

/// The parameters of a request's query, read strictly: a parameter that the address does not know, or that is given
/// twice where it may be given once, is an error. A misspelt parameter would change the meaning of a request in silence.
public struct Query: Sendable {
    private let pairs: [(name: String, value: String)]

    /// Reads the query of a request; `+` is a space, as forms encode it.
    /// - Parameters:
    ///   - request: the request.
    ///   - known: the parameters that may be given once.
    ///   - repeatable: the parameters that may be given several times.
    /// - Throws: ``WebError`` with 400 `invalid`, which names the parameter and the known ones.
    public init(of request: Request, known: [String], repeatable: [String] = []) throws {
        pairs = try (request.uri.query ?? "").unicodeScalars.split(separator: "&").map { scalars in
            let parts = scalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                Substring.init)
            guard let name = PercentCoding.decode(parts[0], plusIsSpace: true),
                let value = PercentCoding.decode(parts.count > 1 ? parts[1] : "", plusIsSpace: true)
            else { throw Self.invalid("\(parts[0]): \"\(String(scalars))\" is not percent-encoded UTF-8") }
            return (name, value)
        }
        for (name, _) in pairs where !known.contains(name) && !repeatable.contains(name) {
            let all = known + repeatable
            throw Self.invalid(
                "unknown parameter \(name); "
                    + (all.isEmpty ? "this address takes none" : "known are \(all.joined(separator: ", "))"))
        }
        for name in known where pairs.count(where: { $0.name == name }) > 1 {
            throw Self.invalid("\(name): it is given several times; give it once")
        }
    }

    /// The value of a parameter that is given at most once; `nil` if it is not given.
    public subscript(_ name: String) -> String? { pairs.first { $0.name == name }?.value }

    /// The values of a parameter that may be given several times, in their order.
    public func all(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    private static func invalid(_ message: String) -> WebError {
        WebError(.badRequest, code: "invalid", message: message)
    }
}
