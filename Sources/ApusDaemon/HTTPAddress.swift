/// `HOST:PORT` on loopback.
public struct HTTPAddress: Hashable, Sendable {
    /// `127.0.0.1`, `::1` or `localhost`.
    public var host: String
    /// The port; 0 for any.
    public var port: Int

    /// Parses `127.0.0.1:7878`, `localhost:7878`, `[::1]:7878`, or a port alone.
    /// - Throws: ``DaemonError`` with `invalid`.
    public init(_ text: String) throws {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let host = parts.count == 1 ? "127.0.0.1" : parts.dropLast().joined(separator: ":")
        guard let last = parts.last, let port = Int(last), (0...65_535).contains(port),
            ["127.0.0.1", "localhost", "[::1]", "::1"].contains(host)
        else {
            throw DaemonError(
                .invalid,
                "http: \"\(text)\" is not a loopback address and port, such as 127.0.0.1:7878, localhost:7878 or [::1]:7878"
            )
        }
        self.host = host == "[::1]" ? "::1" : host
        self.port = port
    }
}
