public import HTTPTypes

/// The headers that keep a page to itself.
public enum SecurityHeaders {
    /// Headers for every answer of a listener: nothing is loaded, run, framed or sent anywhere but from and to the
    /// listener itself.
    /// - Parameter directives: more for the content security policy, such as `["media-src 'self'"]`.
    /// - Returns: for ``ConnectionLimits/server(adding:engine:)``.
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
