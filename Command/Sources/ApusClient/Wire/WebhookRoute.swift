#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decides whether an answer ends a webhook, and where the request is sent after a redirect.
///
/// 307 and 308 keep the method and the body, so they are followed. 301, 302 and 303 turn a POST into a GET without a
/// body, which would deliver nothing, so they are failures that name the address to use.
package struct WebhookRoute: Hashable, Sendable {
    package static let maximumRedirects = 5

    /// The consequence of an answer.
    package enum Step: Hashable, Sendable {
        case delivered
        case failed(String)
        /// The same request must be sent again, to the route's ``address``.
        case redirected
    }

    /// The URL of the next request.
    package var address: String { url.absoluteString }
    private var url: URL
    /// Whether the URL still has the scheme, host and port that the job named.
    ///
    /// A request to another scheme, host or port has neither the job's headers nor a signature.
    package private(set) var isSameOrigin = true
    private var redirects = 0
    private let origin: Origin

    package init?(_ text: String) {
        guard let url = URL(string: text), let origin = Origin(url) else { return nil }
        self.url = url
        self.origin = origin
    }

    package mutating func answered(status: Int, location: String?) -> Step {
        switch status {
        case 200..<300: .delivered
        case 301, 302, 303:
            .failed(
                "HTTP \(status): redirected to \(Self.shown(target(location)?.absoluteString ?? location)); use that address"
            )
        case 307, 308: follow(status, location)
        default: .failed("HTTP \(status)")
        }
    }

    private mutating func follow(_ status: Int, _ location: String?) -> Step {
        guard let target = target(location), let next = Origin(target) else {
            return .failed("HTTP \(status): redirected to \(Self.shown(location)), which is not an http or https URL")
        }
        if Origin(url)?.scheme == "https", next.scheme != "https" {
            return .failed(
                "HTTP \(status): redirected from https to \(Self.shown(target.absoluteString)), which is not encrypted")
        }
        redirects += 1
        guard redirects <= Self.maximumRedirects else {
            return .failed("HTTP \(status): redirected more than \(Self.maximumRedirects) times")
        }
        url = target
        // Once the value is `false`, it stays `false`, because a foreign origin must not choose which addresses get the
        // job's headers.
        isSameOrigin = isSameOrigin && next == origin
        return .redirected
    }

    private func target(_ location: String?) -> URL? {
        location.flatMap { URL(string: $0, relativeTo: url)?.absoluteURL }
    }

    private static func shown(_ text: String?) -> String {
        text.map { PrintableText.escaped(String(URLText.shown($0).prefix(500))) } ?? "no address"
    }

    /// Returns whether two URLs have the same scheme, host and port.
    package static func haveSameOrigin(_ one: String, _ other: String) -> Bool {
        guard let one = Self(one), let other = Self(other) else { return false }
        return one.origin == other.origin
    }

    private struct Origin: Hashable, Sendable {
        var scheme: String
        var host: String
        var port: Int

        init?(_ url: URL) {
            guard let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased(), !host.isEmpty else {
                return nil
            }
            switch scheme {
            case "http": port = url.port ?? 80
            case "https": port = url.port ?? 443
            default: return nil
            }
            (self.scheme, self.host) = (scheme, host)
        }
    }
}

/// The rules for the headers that a job may add to its webhook.
public enum WebhookHeaders {
    /// The headers that the request sets itself, or that are for one connection only.
    private static let refused: Set<String> = [
        "connection", "content-length", "expect", "host", "idempotency-key", "keep-alive", "proxy-authenticate",
        "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "webhook-id",
        "webhook-signature", "webhook-timestamp",
    ]

    /// Reads a header in the form `Name: value`.
    ///
    /// - Throws: ``DaemonError`` with `invalid`, which names the argument.
    public static func parse(_ text: String, argument: String) throws -> (name: String, value: String) {
        let scalars = text.unicodeScalars
        guard let colon = scalars.firstIndex(of: ":") else {
            throw DaemonError(.invalid, "\(argument): \"\(PrintableText.escaped(text))\" is not \"Name: value\"")
        }
        let name = String(scalars[..<colon])
        let value = String(scalars[scalars.index(after: colon)...].drop { $0 == " " })
        try check(name, value, argument: argument)
        return (name, value)
    }

    package static func check(_ name: String, _ value: String, argument: String) throws(DaemonError) {
        // RFC 9110, 5.6.2: the characters of a token.
        let isToken = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
        guard isToken, !name.isEmpty else {
            throw DaemonError(
                .invalid,
                "\(argument): \"\(PrintableText.escaped(name))\" is not the name of a header (letters, digits and hyphens)"
            )
        }
        guard !refused.contains(name.lowercased()) else {
            throw DaemonError(
                .invalid,
                "\(argument): the header \(name) cannot be set: apus sets it itself, or it is for a single connection")
        }
        guard PrintableText.firstUnprintable(in: value, allowing: ["\t"]) == nil else {
            throw DaemonError(
                .invalid, "\(argument): the value of \(name) has a line break or another control character")
        }
    }
}

/// Formats URLs for people.
package enum URLText {
    /// Returns a URL without its password, which would otherwise be in listings and logs.
    package static func shown(_ url: String) -> String {
        let scalars = url.unicodeScalars
        guard let scheme = scalars.firstRange(of: "://".unicodeScalars) else { return url }
        let authorityScalars = scalars[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authorityScalars.lastIndex(of: "@"), let colon = authorityScalars[..<at].firstIndex(of: ":")
        else {
            return url
        }
        return String(scalars[...colon]) + "***" + String(scalars[at...])
    }
}
