public import Hummingbird

/// The parameters of a request's query, read strictly.
///
/// It is an error if the route does not know a parameter, or if a parameter that may be given only once is given
/// several times. Otherwise, a misspelt parameter would silently change the meaning of a request.
public struct Query: Sendable {
    private let pairs: [(name: String, value: String)]

    /// Reads the query of a request, in which `+` is a space, as in the data of HTML forms.
    ///
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
                    + (all.isEmpty
                        ? "this address has no parameters" : "the known parameters are \(all.joined(separator: ", "))"))
        }
        for name in known where pairs.count(where: { $0.name == name }) > 1 {
            throw Self.invalid("\(name): is given several times; give it once")
        }
    }

    /// The value of a parameter that is given at most once; `nil` if it is not given.
    public subscript(_ name: String) -> String? { pairs.first { $0.name == name }?.value }

    /// Returns the values of a parameter that may be given several times, in their order.
    public func all(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    private static func invalid(_ message: String) -> WebError {
        WebError(.badRequest, code: "invalid", message: message)
    }
}

extension RequestContext {
    /// Returns a parameter of the route's path, percent-decoded.
    ///
    /// Routes are matched before the decoding, so an encoded slash (`%2F`) is a part of the parameter.
    ///
    /// - Parameter name: the parameter's name in the route, without the colon.
    /// - Returns: the decoded text.
    /// - Throws: ``WebError`` with 400 `invalid` if the parameter is not percent-encoded UTF-8.
    public func pathParameter(_ name: String) throws -> String {
        let raw = try parameters.require(name)
        guard let text = PercentCoding.decode(raw) else {
            throw WebError(
                .badRequest, code: "invalid",
                message: "\(name): \"\(raw)\" is not percent-encoded UTF-8, such as my%20backup")
        }
        return text
    }
}

/// Decodes the percent-encoding of URIs (RFC 3986, 2.1), strictly.
enum PercentCoding {
    /// Returns the decoded component of a URI, or `nil` if a `%` is not followed by two hexadecimal digits or the bytes
    /// are not UTF-8.
    static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace:
                bytes.append(UInt8(ascii: " "))
            default:
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
