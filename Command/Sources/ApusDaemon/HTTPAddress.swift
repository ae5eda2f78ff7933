import ApusClient
import LoopbackWeb

/// The address of the HTTP listener, and the names by which it is reached.
public struct HTTPAddress: Hashable, Sendable {
    /// The host: `127.0.0.1`, `::1` or `localhost`, or any other host if remote access was allowed.
    public var host: String
    /// The port; 0 for any free port.
    public var port: Int
    /// The names by which other machines reach the listener, with their ports; empty on loopback.
    public var remoteNames: Set<String> = []
    /// The names of the TLS proxies that pass requests on to the listener, with their ports.
    ///
    /// A name with port 443 is also in the set without the port.
    public var secureNames: Set<String> = []

    /// Parses `127.0.0.1:7878`, `localhost:7878`, `[::1]:7878`, or a port alone.
    ///
    /// - Parameters:
    ///   - text: an address and a port.
    ///   - names: further names, as they are in the address line of a browser: `https://NAME` or `https://NAME:PORT`
    ///     for a TLS proxy, and `NAME:PORT` for the listener itself if other machines may reach it. A request with
    ///     another name is refused, because any site can make a name of its own resolve to this machine.
    ///   - allowsRemote: whether other machines may reach the address, such as `0.0.0.0:7878`; names are then required.
    /// - Throws: `DaemonError` with `invalid`, also for an address that is not on loopback, unless that is allowed.
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
                    "http-host: \"\(name)\" can only be used with --http-allow-remote, because loopback has its own names; for a TLS proxy, give https://NAME"
                )
            }
        }
        guard allowsRemote || isLoopback else {
            throw DaemonError(
                .invalid,
                "http: other machines can reach \"\(text)\"; use a loopback address, such as 127.0.0.1:7878, with a tunnel (ssh -L 7878:127.0.0.1:7878 MACHINE) or a TLS proxy (--http-host https://NAME), or use --http-allow-remote and accept that the token crosses the network in clear text"
            )
        }
        guard !allowsRemote || !names.isEmpty else {
            throw DaemonError(
                .invalid,
                "http-host: is missing; give each name by which browsers reach this daemon as --http-host NAME:PORT, because requests with other names are refused"
            )
        }
    }

    /// The URL `http://HOST:PORT` with which this machine reaches the listener.
    public var url: String {
        switch host {
        case "0.0.0.0": "http://127.0.0.1:\(port)"
        case "::": "http://[::1]:\(port)"
        default: "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        }
    }

    private var isLoopback: Bool { ["127.0.0.1", "localhost", "::1"].contains(host) }

    /// Returns the values that `Host` may have for `https://NAME[:PORT]`.
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
