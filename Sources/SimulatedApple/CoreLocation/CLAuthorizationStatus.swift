/// What the user allows.
public enum CLAuthorizationStatus: Int32, Sendable {
    /// The user was not asked yet.
    case notDetermined = 0
    /// The user cannot allow it. The simulation does not give this.
    case restricted = 1
    /// Nothing.
    case denied = 2
    /// Always.
    case authorizedAlways = 3
    /// While the app is used.
    case authorizedWhenInUse = 4
}

/// Why there is no position.
public struct CLError: CustomNSError, Hashable, Sendable {
    /// The kinds of failure that the simulation has.
    public enum Code: Int, Sendable {
        /// The receiver has no fix; it continues to try.
        case locationUnknown = 0
        /// The user does not allow it.
        case denied = 1

        /// Whether an error has this code, for `catch CLError.denied`.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? CLError)?.code == code }
    }

    /// The kind of failure.
    public let code: Code
    /// An error of that kind.
    public init(_ code: Code) { self.code = code }
    /// "kCLErrorDomain".
    public static var errorDomain: String { "kCLErrorDomain" }
    /// The number of the code.
    public var errorCode: Int { code.rawValue }
    /// See ``Code``.
    public static var locationUnknown: Code { .locationUnknown }
    /// See ``Code``.
    public static var denied: Code { .denied }
}
