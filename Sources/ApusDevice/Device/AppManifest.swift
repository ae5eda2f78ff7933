import ApusBackground
public import Foundation

/// The declarations of an app: the part of `Info.plist` on which the system's rules depend.
public struct AppManifest: Sendable, Hashable, Codable {
    /// A kind of work in the background (`UIBackgroundModes`).
    public enum BackgroundMode: String, Sendable, Hashable, Codable, CaseIterable {
        /// To play or record sound.
        case audio
        /// To be notified of the device's position.
        case location
        /// To refresh its content for a short time (`fetch`): without it, requests of the kind `refresh` are not
        /// permitted.
        case fetch
        /// To do longer work while the device is not in use (`processing`): without it, requests of the kind
        /// `processing` are not permitted.
        case processing
        /// To be started for silent pushes.
        case remoteNotification = "remote-notification"
    }

    /// Names the app (`CFBundleIdentifier`).
    public var bundleIdentifier: String
    /// The file that it was read from, of which an app in its own process finds all keys in `Bundle.main`.
    public var infoPlist: Data?
    /// The class of the scene's delegate (`UISceneDelegateClassName`), for an app that is started by the `main()` of its
    /// delegate.
    public var sceneDelegateClass: String?
    /// The declared modes.
    public var backgroundModes: Set<BackgroundMode>
    /// The identifiers of background jobs (`BGTaskSchedulerPermittedIdentifiers`); handlers and requests of others are
    /// not permitted. One that ends in `.*`, as "com.example.app.export.*", declares all identifiers that begin so, for
    /// continued work only.
    public var permittedTaskIdentifiers: Set<String>
    /// Whether the app has the life cycle of scenes: it then starts in the phase `background`, otherwise in `inactive`
    /// (Apple, developer.apple.com/documentation/uikit/uiapplication/applicationstate).
    public var usesScenes: Bool {
        didSet { statesScenes = true }
    }
    /// Whether that was said, and not only assumed.
    package private(set) var statesScenes: Bool

    /// Why the app wants to know where the phone is while it is used (`NSLocationWhenInUseUsageDescription`), which the
    /// system shows to the user with its question. Without it, or with an empty text, a request for authorization does nothing.
    public var locationWhenInUseUsage: String?
    /// Why it wants to know that at any time (`NSLocationAlwaysAndWhenInUseUsageDescription`). Without this one and the
    /// other, a request for `always` does nothing.
    public var locationAlwaysUsage: String?

    /// The app groups of the app (the entitlement `com.apple.security.application-groups`), as "group.com.example.notes".
    public var appGroups: Set<String>

    /// A manifest; without arguments that of an app with scenes that declares nothing. It has the texts for the user that
    /// the system insists on; `nil` is an app without them.
    ///
    /// Without a value for `usesScenes` it is true, except for an app in the test's process whose installation has no scene
    /// delegate. A value that the app's delegates do not fit is a fault of module SimulatedApple.
    public init(
        bundleIdentifier: String = "com.example.app", backgroundModes: Set<BackgroundMode> = [],
        permittedTaskIdentifiers: Set<String> = [], usesScenes: Bool? = nil,
        locationWhenInUseUsage: String? = "to show where you are",
        locationAlwaysUsage: String? = "to continue in the background", appGroups: Set<String> = []
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.backgroundModes = backgroundModes
        self.permittedTaskIdentifiers = permittedTaskIdentifiers
        self.usesScenes = usesScenes ?? true
        statesScenes = usesScenes != nil
        self.locationWhenInUseUsage = locationWhenInUseUsage
        self.locationAlwaysUsage = locationAlwaysUsage
        self.appGroups = appGroups
    }

    /// The keys without whose texts the user is not asked, by what an app asks for.
    ///
    /// Apple, documentation/corelocation/cllocationmanager/requestwheninuseauthorization() and …/requestalwaysauthorization()
    var missingLocationKeys: [LocationAuthorization: [String]] {
        func missing(_ text: String?, _ key: String) -> [String] { text?.isEmpty ?? true ? [key] : [] }
        let whenInUse = missing(locationWhenInUseUsage, "NSLocationWhenInUseUsageDescription")
        let always = missing(locationAlwaysUsage, "NSLocationAlwaysAndWhenInUseUsageDescription")
        return [.whenInUse: whenInUse, .always: whenInUse + always]
    }
}

/// Why an `Info.plist` gives no ``AppManifest``: all errors in it, not only the first.
public struct AppManifestError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Each begins with the key that it is about.
    public let problems: [String]

    /// A line for each problem.
    public var description: String {
        (["the Info.plist is not one with which the app works as it is meant to:"] + problems.map { "  \($0)" })
            .joined(separator: "\n")
    }
}

extension AppManifest {
    /// The app's own `Info.plist`, read and checked, so that the simulated phone goes by what the app is shipped with.
    ///
    /// It is read as XML or as a binary property list, before or after the build. These keys are read:
    ///
    /// | Key | Becomes | Is refused |
    /// |---|---|---|
    /// | `UIBackgroundModes` | ``backgroundModes`` | a mode that Apple does not have. Those that the simulated phone does not have, such as `voip`, are left out |
    /// | `BGTaskSchedulerPermittedIdentifiers` | ``permittedTaskIdentifiers`` | an empty one; a `*` that is not a last part of its own; none beside the mode `processing`, of which no request would be permitted |
    /// | `UIApplicationSceneManifest` | ``usesScenes``, true if the key is there, and ``sceneDelegateClass`` | what is not a dictionary |
    /// | `CFBundleIdentifier` | ``bundleIdentifier`` | |
    /// | `NSLocationAlwaysAndWhenInUseUsageDescription` | ``locationAlwaysUsage`` | |
    /// | `NSLocationWhenInUseUsageDescription` | ``locationWhenInUseUsage`` | none, or an empty text, beside the mode `location`: requests for permission do nothing then |
    ///
    /// A build setting such as `$(PRODUCT_BUNDLE_IDENTIFIER)` is taken as it is written: give the built file to an app
    /// whose identifiers have one.
    ///
    /// Sources: Apple, the pages of the keys in "Information Property List", and "Choosing the Location Services
    /// Authorization to Request".
    ///
    /// - Parameter file: Where it is. Reading blocks the calling thread.
    /// - Throws: What reading the file throws; ``AppManifestError``.
    public init(infoPlist file: URL) throws { try self.init(infoPlist: Data(contentsOf: file)) }

    /// An `Info.plist` that was read already; see ``init(infoPlist:)-(URL)``.
    ///
    /// - Parameter contents: The file's bytes.
    /// - Throws: ``AppManifestError``.
    public init(infoPlist contents: Data) throws {
        let keys: InfoPlist
        do {
            keys = try PropertyListDecoder().decode(InfoPlist.self, from: contents)
        } catch let error as DecodingError {
            throw AppManifestError(problems: [InfoPlist.problem(error)])
        }
        guard keys.problems.isEmpty else { throw AppManifestError(problems: keys.problems) }
        self.init(
            bundleIdentifier: keys.identifier ?? "com.example.app",
            backgroundModes: Set(keys.modes.compactMap { BackgroundMode(rawValue: $0) }),
            permittedTaskIdentifiers: Set(keys.identifiers), usesScenes: keys.scenes != nil,
            locationWhenInUseUsage: keys.locationPurpose, locationAlwaysUsage: keys.alwaysPurpose)
        infoPlist = contents
        sceneDelegateClass = keys.scenes?.delegateClass
    }
}

/// The keys on which the simulated phone's rules depend.
private struct InfoPlist: Decodable {
    /// Any dictionary.
    struct Scenes: Decodable {
        private enum CodingKeys: String, CodingKey { case configurations = "UISceneConfigurations" }

        private struct Configuration: Decodable {
            enum CodingKeys: String, CodingKey { case delegateClass = "UISceneDelegateClassName" }

            var delegateClass: String?
        }

        let delegateClass: String?

        init(from decoder: any Decoder) throws {
            let keys = try decoder.container(keyedBy: CodingKeys.self)
            let configurations = try? keys.decode([String: [Configuration]].self, forKey: .configurations)
            delegateClass = configurations?["UIWindowSceneSessionRoleApplication"]?.first?.delegateClass
        }
    }

    enum CodingKeys: String, CodingKey {
        case identifier = "CFBundleIdentifier"
        case modes = "UIBackgroundModes"
        case identifiers = "BGTaskSchedulerPermittedIdentifiers"
        case scenes = "UIApplicationSceneManifest"
        case locationPurpose = "NSLocationWhenInUseUsageDescription"
        case alwaysPurpose = "NSLocationAlwaysAndWhenInUseUsageDescription"
    }

    let identifier: String?
    let modes: [String]
    let identifiers: [String]
    let scenes: Scenes?
    let locationPurpose: String?
    let alwaysPurpose: String?

    init(from decoder: any Decoder) throws {
        let keys = try decoder.container(keyedBy: CodingKeys.self)
        identifier = try keys.decodeIfPresent(String.self, forKey: .identifier)
        modes = try keys.decodeIfPresent([String].self, forKey: .modes) ?? []
        identifiers = try keys.decodeIfPresent([String].self, forKey: .identifiers) ?? []
        scenes = try keys.decodeIfPresent(Scenes.self, forKey: .scenes)
        locationPurpose = try keys.decodeIfPresent(String.self, forKey: .locationPurpose)
        alwaysPurpose = try keys.decodeIfPresent(String.self, forKey: .alwaysPurpose)
    }

    /// Apple, "UIBackgroundModes".
    private static let allModes = [
        "audio", "bluetooth-central", "bluetooth-peripheral", "external-accessory", "fetch", "location",
        "nearby-interaction", "network-authentication", "newsstand-content", "processing", "push-to-talk",
        "remote-notification", "voip",
    ]

    var problems: [String] {
        var problems = modes.filter { !Self.allModes.contains($0) }.map { mode in
            Self.problem(.modes, "“\(mode)” is no mode; there are \(Self.allModes.joined(separator: ", "))")
        }
        problems += identifiers.filter(Self.isMisspelled).map { identifier in
            Self.problem(
                .identifiers,
                "“\(identifier)” names no task; accepted are a name, as “com.example.app.refresh”, and for continued work "
                    + "a name that ends in “.*”")
        }
        if modes.contains("processing"), !identifiers.contains(where: { !$0.hasSuffix(".*") }) {
            problems.append(
                Self.problem(.identifiers, "declares no task, so that no request of the mode processing is permitted"))
        }
        if modes.contains("location"), locationPurpose?.isEmpty ?? true {
            problems.append(
                Self.problem(
                    .locationPurpose, "is missing or empty; without a text for the person, no permission is asked for"))
        }
        return problems
    }

    private static func isMisspelled(_ identifier: String) -> Bool {
        let name = identifier.hasSuffix(".*") ? identifier.dropLast(2) : identifier[...]
        return name.isEmpty || name.contains("*")
    }

    private static func problem(_ key: CodingKeys, _ text: String) -> String { "\(key.rawValue): \(text)" }

    /// What is wrong with the file's form.
    static func problem(_ error: DecodingError) -> String {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            guard let key = context.codingPath.first else { return "the file: it is no dictionary" }
            let form =
                switch CodingKeys(stringValue: key.stringValue) {
                case .modes, .identifiers: "an array of strings"
                case .scenes: "a dictionary"
                case .identifier, .locationPurpose, .alwaysPurpose, nil: "a string"
                }
            return "\(key.stringValue): it is not \(form)"
        default: return "the file: it is no property list, neither in XML nor binary"
        }
    }
}
