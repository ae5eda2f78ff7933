import ApusDevice
import ApusTimers
import SimulatedAppleCore

/// The configuration of a session, which can be used on any thread.
///
/// Source: Apple, documentation/foundation/urlsessionconfiguration
open class URLSessionConfiguration: NSObject, NSCopying, @unchecked Sendable {
    // For `@unchecked Sendable`: what changes is in `values`, protected by its lock.

    private struct Values: Sendable {
        var settings = TransferSettings()
        var allowsCellular = true
        var allowsExpensive = true
        var allowsConstrained = true
        var requestTimeout: TimeInterval = 60
        var resourceTimeout: TimeInterval = 604_800
        var headers: Handover<[AnyHashable: Any]>?
        var proxy: Handover<[AnyHashable: Any]>?
        var waitsForConnectivity = false
        var connectionsPerHost = 6
        var container: String?
    }

    /// The identifier of a background session; `nil` for an ordinary one.
    public let identifier: String?
    private let values: Locked<Values>

    private init(identifier: String?, values: Values) {
        self.identifier = identifier
        self.values = Locked(values)
        super.init()
    }

    /// Returns a configuration for transfers that continue without the app.
    ///
    /// - Parameter identifier: The identifier, unique in the app, and the same after a relaunch.
    /// - Returns: The configuration, which a session copies.
    open class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        URLSessionConfiguration(identifier: identifier, values: Values())
    }

    /// A configuration for ordinary sessions, whose tasks belong to the process.
    open class var `default`: URLSessionConfiguration { URLSessionConfiguration(identifier: nil, values: Values()) }
    /// The same as ``default``, because the simulated phone has neither a cache nor cookies.
    open class var ephemeral: URLSessionConfiguration { URLSessionConfiguration(identifier: nil, values: Values()) }

    open func copy(with zone: NSZone? = nil) -> Any {
        URLSessionConfiguration(identifier: identifier, values: values.withLock { $0 })
    }

    /// Whether the system chooses the time at which tasks run.
    ///
    /// The simulated phone runs such tasks while there is external power and an unmetered network. Tasks that are
    /// resumed in the background are discretionary in any case.
    ///
    /// Source: Apple, documentation/foundation/urlsessionconfiguration/isdiscretionary
    open var isDiscretionary: Bool {
        get { values.withLock { $0.settings.isDiscretionary } }
        set { values.withLock { $0.settings.isDiscretionary = newValue } }
    }

    /// Whether the app is launched or resumed when all tasks have ended.
    open var sessionSendsLaunchEvents: Bool {
        get { values.withLock { $0.settings.sendsLaunchEvents } }
        set { values.withLock { $0.settings.sendsLaunchEvents = newValue } }
    }

    /// Whether tasks may use a mobile network.
    ///
    /// The simulated phone has a single network, which is metered or not, so this property,
    /// ``allowsExpensiveNetworkAccess`` and ``allowsConstrainedNetworkAccess`` have the same meaning.
    open var allowsCellularAccess: Bool {
        get { values.withLock { $0.allowsCellular } }
        set { values.withLock { $0.allowsCellular = newValue } }
    }

    /// Whether tasks may use a metered network; see ``allowsCellularAccess``.
    open var allowsExpensiveNetworkAccess: Bool {
        get { values.withLock { $0.allowsExpensive } }
        set { values.withLock { $0.allowsExpensive = newValue } }
    }

    /// Whether tasks may use a network in low-data mode; see ``allowsCellularAccess``.
    open var allowsConstrainedNetworkAccess: Bool {
        get { values.withLock { $0.allowsConstrained } }
        set { values.withLock { $0.allowsConstrained = newValue } }
    }

    /// The time for which a task of an ordinary session waits for the server, in seconds.
    ///
    /// A request's own limit has no effect. In a background session, this property has no effect, because the session
    /// tries again.
    open var timeoutIntervalForRequest: TimeInterval {
        get { values.withLock { $0.requestTimeout } }
        set { values.withLock { $0.requestTimeout = newValue } }
    }

    /// The time that a task may take from its first `resume()`, in seconds; seven days by default.
    open var timeoutIntervalForResource: TimeInterval {
        get { values.withLock { $0.resourceTimeout } }
        set { values.withLock { $0.resourceTimeout = newValue } }
    }

    /// Header fields that are added to each request, unless the request has fields with the same names.
    open var httpAdditionalHeaders: [AnyHashable: Any]? {
        get { values.withLock { $0.headers }?.value }
        set {
            let new = newValue.map(Handover.init)
            values.withLock { $0.headers = new }
        }
    }

    /// Whether a task of an ordinary session that begins without a network waits for one instead of failing.
    ///
    /// The tasks of a background session always wait.
    open var waitsForConnectivity: Bool {
        get { values.withLock { $0.waitsForConnectivity } }
        set { values.withLock { $0.waitsForConnectivity = newValue } }
    }

    /// The maximum number of connections, which has no effect, because tasks do not share the simulated phone's
    /// network.
    open var httpMaximumConnectionsPerHost: Int {
        get { values.withLock { $0.connectionsPerHost } }
        set { values.withLock { $0.connectionsPerHost = newValue } }
    }

    /// The identifier of a container for extensions, which has no effect because there are no extensions.
    open var sharedContainerIdentifier: String? {
        get { values.withLock { $0.container } }
        set { values.withLock { $0.container = newValue } }
    }

    /// The settings of a proxy, which have no effect.
    open var connectionProxyDictionary: [AnyHashable: Any]? {
        get { values.withLock { $0.proxy }?.value }
        set {
            let new = newValue.map(Handover.init)
            values.withLock { $0.proxy = new }
        }
    }

    private static func nanoseconds(_ seconds: TimeInterval) -> UInt64 { UInt64(max(0, min(9e18, seconds * 1e9))) }

    /// The settings in the form of the device's transfer service.
    var settings: TransferSettings {
        values.withLock { values in
            var settings = values.settings
            settings.allowsConstrainedNetwork =
                values.allowsCellular && values.allowsExpensive && values.allowsConstrained
            settings.limit = Self.nanoseconds(values.resourceTimeout)
            settings.requestLimit = Self.nanoseconds(values.requestTimeout)
            settings.waitsForConnectivity = values.waitsForConnectivity
            settings.isOrdinary = identifier == nil
            return settings
        }
    }
}

// The names are Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the setting that enables a proxy for HTTP, which has no effect.
public let kCFNetworkProxiesHTTPEnable: NSString = "HTTPEnable"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the setting with a proxy's name, which has no effect.
public let kCFNetworkProxiesHTTPProxy: NSString = "HTTPProxy"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the setting with a proxy's port, which has no effect.
public let kCFNetworkProxiesHTTPPort: NSString = "HTTPPort"
