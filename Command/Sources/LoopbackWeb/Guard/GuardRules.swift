public import HTTPTypes
import Hummingbird
import HummingbirdCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decides which clients may use a listener, from the heads of their requests.
///
/// The rules protect against pages of other sites in the user's browser, including pages whose name resolves to the
/// listener (DNS rebinding). With secrets, they also protect against every caller that does not know the secrets.
/// These are the rules:
///
/// - There must be one `Host`, and it must be one of the listener's own names, with its port.
/// - An `Origin`, with any method, must be one of those names with `http://`, or, for the names of a TLS proxy, with
///   `https://`.
/// - `Sec-Fetch-Site: cross-site` and `same-site` are refused (another port of the same machine is the same site),
///   except for a link to the entry page (www.w3.org/TR/fetch-metadata).
/// - With secrets, `Authorization: Bearer TOKEN` is required, or the cookie, which `GET /?token=TOKEN` sets. With the
///   cookie, a method that changes something requires an `Origin`: browsers send it, and other pages cannot omit it.
/// - `POST /sign-out` with the cookie removes it from the browser.
public struct GuardRules: Sendable {
    /// The secrets that a caller must know.
    ///
    /// There are two, because browsers send cookies to every port of a machine. A program that reads the cookie at
    /// another port can do what the page can, but it cannot do the things for which the token is required.
    public struct Secrets: Sendable, Hashable {
        /// The token for `Authorization: Bearer TOKEN` and for the address that opens the page, of letters and digits.
        public var token: String
        /// The value of the cookie, of letters and digits.
        public var cookie: String
        /// Creates secrets.
        public init(token: String, cookie: String) {
            self.token = token
            self.cookie = cookie
        }
    }

    /// The decision about a request.
    public enum Verdict: Sendable {
        /// The request is admitted.
        case admit(Caller)
        /// The cookie is set, and the browser is redirected to `/`.
        case enter(cookie: String)
        /// The cookie is removed.
        case leave(cookie: String)
        /// The entry page was requested without the token.
        case askForToken
        /// The request is refused.
        case refuse(WebError)
    }

    private let hosts: Set<String>
    private let secureHosts: Set<String>
    private let secrets: Secrets?
    private let cookieName: String

    /// Creates the rules of one listener.
    ///
    /// - Parameters:
    ///   - hosts: the names with ports that `Host` may have, as ``ownHosts(_:port:)`` returns them.
    ///   - secureHosts: the names, with ports, of a TLS proxy that passes requests on to the listener, as
    ///     ``secureHosts(_:port:)`` returns them; browsers that use one of these names get a `Secure` cookie.
    ///   - secrets: the secrets that callers must know; `nil` admits all callers that pass the other rules.
    ///   - cookieName: the name of the cookie. It must contain the port, because cookies do not separate ports (RFC
    ///     6265, 8.5). With one name, two listeners of a machine would sign each other's pages out.
    public init(hosts: Set<String>, secureHosts: Set<String> = [], secrets: Secrets?, cookieName: String) {
        self.hosts = Set(hosts.map { $0.lowercased() })
        self.secureHosts = Set(secureHosts.map { $0.lowercased() })
        self.secrets = secrets
        self.cookieName = cookieName
    }

    /// Returns the names of a listener on loopback: `host` itself, `localhost`, `127.0.0.1` and `[::1]`, with the port.
    ///
    /// If the port is 80, the names without it are included.
    public static func ownHosts(_ host: String, port: Int) -> Set<String> {
        let names: Set = [
            host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host, "localhost", "127.0.0.1", "[::1]",
        ]
        let withPort = Set(names.map { "\($0):\(port)" })
        return port == 80 ? withPort.union(names) : withPort
    }

    /// Returns the names of a TLS proxy: `host` with the port, and also without it if the port is 443.
    public static func secureHosts(_ host: String, port: Int) -> Set<String> {
        port == 443 ? [host, "\(host):443"] : ["\(host):\(port)"]
    }

    /// Returns the decision about a request with this head.
    public func verdict(on head: HTTPRequest) -> Verdict {
        let headers = head.headerFields
        let uri = URI(head.path ?? "/")
        guard let host = head.authority?.lowercased(), !head.hasSeveralHosts else {
            return .refuse(.oneHost)
        }
        guard hosts.contains(host) || secureHosts.contains(host) else {
            // The names are not listed, because the page of another site, whose name resolves to this machine, would read
            // them.
            return .refuse(
                .forbidden(
                    "the Host header \"\(host.prefix(100))\" does not name this server; use an address that it printed"
                ))
        }
        let origin = headers[.origin]
        if let origin, !isOwn(origin) {
            return .refuse(.forbidden("requests from pages of \"\(origin.prefix(100))\" are not accepted"))
        }
        let isEntry = head.method == .get && uri.path == "/"
        if comesFromElsewhere(headers), !(isEntry && isNavigation(headers)) {
            return .refuse(.forbidden("requests from pages of other sites are not accepted"))
        }
        guard let secrets else {
            return .admit(origin != nil || headers[.fetchSite] != nil ? .browser : .script)
        }
        if isEntry, let token = uri.queryParameters.get("token") {
            guard equalInConstantTime(token, secrets.token) else { return .askForToken }
            return .enter(cookie: setCookie(secrets.cookie, isSecure: secureHosts.contains(host)))
        }
        if let authorization = headers[.authorization] {
            guard equalInConstantTime(authorization, "Bearer \(secrets.token)") else { return .refuse(.unauthorized) }
            return .admit(origin == nil ? .script : .browser)
        }
        guard knowsCookie(headers, secrets.cookie) else { return isEntry ? .askForToken : .refuse(.unauthorized) }
        if origin == nil, head.method != .get, head.method != .head {
            return .refuse(.forbidden("a \(head.method) request with the cookie needs an Origin header"))
        }
        if head.method == .post, uri.path == "/sign-out" {
            return .leave(cookie: setCookie("", isSecure: secureHosts.contains(host)) + "; Max-Age=0")
        }
        return .admit(.browser)
    }

    private func isOwn(_ origin: String) -> Bool {
        let origin = origin.lowercased()
        return hosts.contains { origin == "http://\($0)" } || secureHosts.contains { origin == "https://\($0)" }
    }

    private func comesFromElsewhere(_ headers: HTTPFields) -> Bool {
        guard let site = headers[.fetchSite] else { return false }
        return site != "same-origin" && site != "none"
    }

    private func isNavigation(_ headers: HTTPFields) -> Bool {
        headers[.fetchMode] == "navigate" && headers[.fetchDestination] ?? "document" == "document"
    }

    private func knowsCookie(_ headers: HTTPFields, _ value: String) -> Bool {
        // All cookies are checked, because another server of this machine may have set a cookie with the same name for
        // a longer path.
        headers[values: .cookie].flatMap { $0.unicodeScalars.split(separator: ";") }.contains { pair in
            let pair = String(pair.drop { $0 == " " })
            return equalInConstantTime(pair, "\(cookieName)=\(value)")
        }
    }

    private func setCookie(_ value: String, isSecure: Bool) -> String {
        "\(cookieName)=\(value); Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }
}

extension HTTPRequest {
    /// Whether the request has more than one `Host`.
    ///
    /// The first `Host` becomes the authority of the request, and any further ones stay among the header fields.
    public var hasSeveralHosts: Bool { headerFields.contains { $0.name.canonicalName == "host" } }
}

extension WebError {
    /// The error 400 `invalid` for a request that does not have exactly one `Host` (RFC 9112, 3.2).
    public static let oneHost = WebError(
        .badRequest, code: "invalid", message: "Host: send this header once, with the name and the port of this server")
}

extension HTTPField.Name {
    static let fetchSite = Self("Sec-Fetch-Site")!
    static let fetchMode = Self("Sec-Fetch-Mode")!
    static let fetchDestination = Self("Sec-Fetch-Dest")!
}

/// Compares two texts in a time that depends on their lengths only, so that it reveals nothing about a secret.
func equalInConstantTime(_ a: String, _ b: String) -> Bool {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
