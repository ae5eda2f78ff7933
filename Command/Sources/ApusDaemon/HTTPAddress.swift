import ApusClient
import LoopbackWeb

/// Where the HTTP listener is, and by which names it is reached.
public struct HTTPAddress: Hashable, Sendable {
    /// `127.0.0.1`, `::1`, `localhost`, or what was allowed to be something else.
    public var host: String
    /// The port; 0 for any.
    public var port: Int
    /// Names with ports by which other machines reach it, beside its own; none on loopback.
    public var remoteNames: Set<String> = []
    /// Names with ports by which a TLS proxy is reached that passes requests on to it.
    public var secureNames: Set<String> = []

    /// Parses `127.0.0.1:7878`, `localhost:7878`, `[::1]:7878`, or a port alone.
    /// - Parameters:
    ///   - text: an address and a port.
    ///   - names: further names as browsers have them in their address line: `https://NAME` or `https://NAME:PORT` for a
    ///     TLS proxy, and `NAME:PORT` for the listener itself if other machines may reach it. A request with another name
    ///     is refused, because a page elsewhere can have any name lead here.
    ///   - allowsRemote: whether other machines may reach the address, such as `0.0.0.0:7878`. Names are needed then.
    /// - Throws: `DaemonError` with `invalid`; also for an address that is not on loopback, unless that is allowed.
    public init(_ text: String, names: [String] = [], allowsRemote: Bool = false) throws {
        (host, port) = try Self.parse(text)
        for name in names {
            if name.hasPrefix("https://") {
                secureNames.formUnion(try Self.parseSecure(name))
            } else if allowsRemote {
                guard let (_, port) = try? Self.parse(name), port > 0, name.contains(":") else {
                    throw DaemonError(
                        .invalid,
                        "http-host: \"\(name)\" is not NAME:PORT, such as server.example:7878 or 192.0.2.7:7878, or https://NAME for a TLS proxy"
                    )
                }
                remoteNames.insert(name)
            } else {
                throw DaemonError(
                    .invalid,
                    "http-host: \"\(name)\" goes with --http-allow-remote, since loopback has names of its own; a TLS proxy's name is given as https://NAME"
                )
            }
        }
        guard allowsRemote || isLoopback else {
            throw DaemonError(
                .invalid,
                "http: other machines can reach \"\(text)\". Listen on a loopback address, such as 127.0.0.1:7878, and use a tunnel (ssh -L 7878:127.0.0.1:7878 MACHINE) or a TLS proxy (--http-host https://NAME), or say --http-allow-remote and accept that the token crosses the network in clear text"
            )
        }
        guard !allowsRemote || !names.isEmpty else {
            throw DaemonError(
                .invalid,
                "http-host: say by which names browsers reach this daemon, each as --http-host NAME:PORT; requests with other names are refused"
            )
        }
    }

    /// `http://HOST:PORT`, as this machine reaches it.
    public var url: String {
        switch host {
        case "0.0.0.0": "http://127.0.0.1:\(port)"
        case "::": "http://[::1]:\(port)"
        default: "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        }
    }

    private var isLoopback: Bool { ["127.0.0.1", "localhost", "::1"].contains(host) }

    /// What `Host` can be for `https://NAME[:PORT]`.
    private static func parseSecure(_ name: String) throws -> Set<String> {
        let rest = String(name.dropFirst("https://".count))
        let hasPort = rest.hasSuffix("]") ? false : rest.contains(":")
        guard let (host, port) = try? parse(hasPort ? rest : "\(rest):443"), port > 0 else {
            throw DaemonError(
                .invalid,
                "http-host: \"\(name)\" is not https://NAME or https://NAME:PORT, such as https://jobs.example, without a path"
            )
        }
        return GuardRules.secureHosts(host.contains(":") ? "[\(host)]" : host, port: port)
    }

    private static func parse(_ text: String) throws -> (host: String, port: Int) {
        let parts = text.unicodeScalars.split(separator: ":", omittingEmptySubsequences: false).map(Substring.init)
        var host = parts.count == 1 ? "127.0.0.1" : parts.dropLast().joined(separator: ":")
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.count > 2
        if isBracketed { host = String(host.dropFirst().dropLast()) }
        let isName = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            case UInt8(ascii: ":"): isBracketed || host == "::1"
            default: false
            }
        }
        guard let last = parts.last, let port = Int(last), (0...65_535).contains(port), isName, !host.isEmpty else {
            throw DaemonError(
                .invalid,
                "http: \"\(text)\" is not an address and a port, such as 127.0.0.1:7878, localhost:7878 or [::1]:7878")
        }
        return (host, port)
    }
}
