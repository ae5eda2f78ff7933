public import HTTPTypes

/// The headers that restrict a page to its own listener.
public enum SecurityHeaders {
    /// Returns headers for every answer of a listener.
    ///
    /// With these headers, a page can load resources only from the listener, and can connect only to it. No page can
    /// show the listener's pages in a frame.
    ///
    /// - Parameter directives: further directives of the content security policy, such as `["media-src 'self'"]`.
    /// - Returns: the headers, for ``WebServer/init(router:address:limits:adding:engine:logger:onServerRunning:)``.
    public static func fields(adding directives: [String] = []) -> HTTPFields {
        let policy =
            [
                "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:",
                "connect-src 'self'", "font-src 'self'",
            ] + directives + ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
        return [
            .contentSecurityPolicy: policy.joined(separator: "; "),
            .xContentTypeOptions: "nosniff",
            .init("Referrer-Policy")!: "no-referrer",
            .init("Cross-Origin-Opener-Policy")!: "same-origin",
            .init("Cross-Origin-Resource-Policy")!: "same-origin",
        ]
    }
}
