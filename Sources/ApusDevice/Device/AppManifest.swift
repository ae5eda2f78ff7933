import ApusBackground
public import Foundation

/// The declarations of an app: the part of `Info.plist` on which the system's rules depend.
public struct AppManifest: Sendable, Hashable, Codable {
    /// A kind of work in the background (`UIBackgroundModes`).
    public enum BackgroundMode: String, Sendable, Hashable, Codable, CaseIterable {
        /// The app plays or records sound.
        case audio
        /// The app is notified of the device's position.
        case location
        /// The app refreshes its content for a short time (`fetch`).
        ///
        /// Without this mode, requests of the kind `refresh` are not permitted.
        case fetch
        /// The app does longer work while the device is not in use (`processing`).
        ///
        /// Without this mode, requests of the kind `processing` are not permitted.
        case processing
        /// The app is started for silent pushes.
        case remoteNotification = "remote-notification"
    }

    /// The protection class of a file, which determines when the file can be opened (`NSFileProtectionType`).
    ///
    /// Apple, documentation/uikit/encrypting-your-app-s-files
    public enum DataProtection: String, Sendable, Hashable, Codable, CaseIterable {
        /// The file can always be opened.
        case none = "NSFileProtectionNone"
        /// The file can be created while the device is locked, but opened again only after it is unlocked.
        case completeUnlessOpen = "NSFileProtectionCompleteUnlessOpen"
        /// The file can be opened once the device has been unlocked after its start.
        case completeUntilFirstUserAuthentication = "NSFileProtectionCompleteUntilFirstUserAuthentication"
        /// The file can be opened only while the device is unlocked.
        case complete = "NSFileProtectionComplete"
    }

    /// The identifier of the app (`CFBundleIdentifier`).
    public var bundleIdentifier: String
    /// The contents of the file from which the manifest was read; `nil` if it was made from arguments.
    ///
    /// An app in its own process finds all keys of the file in `Bundle.main`.
    public var infoPlist: Data?
    /// The class of the scene's delegate (`UISceneDelegateClassName`).
    ///
    /// It is for an app that is started by the `main()` of its app delegate.
    public var sceneDelegateClass: String?
    /// The declared background modes.
    public var backgroundModes: Set<BackgroundMode>
    /// The permitted identifiers of background jobs (`BGTaskSchedulerPermittedIdentifiers`).
    ///
    /// Handlers and requests with other identifiers are not permitted. An identifier that ends in `.*`, such as
    /// "com.example.app.export.*", permits all identifiers with that prefix, for continued work only.
    public var permittedTaskIdentifiers: Set<String>
    /// Whether the app has the life cycle of scenes.
    ///
    /// If this is true, a launch to the foreground begins in the phase `background`; otherwise, it begins in `inactive`
    /// (Apple, developer.apple.com/documentation/uikit/uiapplication/applicationstate).
    public var usesScenes: Bool {
        didSet { statesScenes = true }
    }
    /// Whether a caller or a file has given ``usesScenes``, so that the value is not an assumption.
    package private(set) var statesScenes: Bool

    /// The reason for which the app wants the phone's position while it is in use
    /// (`NSLocationWhenInUseUsageDescription`).
    ///
    /// The system shows the text to the user when it asks for the permission. If the text is missing or empty, a
    /// request for authorization does nothing.
    public var locationWhenInUseUsage: String?
    /// The reason for which the app wants the phone's position at any time
    /// (`NSLocationAlwaysAndWhenInUseUsageDescription`).
    ///
    /// A request for `always` does nothing unless both this text and ``locationWhenInUseUsage`` are present.
    public var locationAlwaysUsage: String?
    /// The reason for which the app wants to schedule alarms (`NSAlarmKitUsageDescription`).
    ///
    /// If the text is missing or empty, the user is not asked, and no alarm is scheduled.
    public var alarmUsage: String?
    /// Whether the app has Live Activities (`NSSupportsLiveActivities`); without it, none is started.
    public var supportsLiveActivities: Bool

    /// The app groups of the app (the entitlement `com.apple.security.application-groups`), such as
    /// "group.com.example.notes".
    public var appGroups: Set<String>
    /// The protection class of the files to which the app gives no class of their own (the entitlement
    /// `com.apple.developer.default-data-protection`).
    ///
    /// Only files of an app in a process of its own are protected.
    public var dataProtection: DataProtection

    /// Creates a manifest; without arguments, it describes an app that uses scenes and declares nothing.
    ///
    /// By default, it has the texts for the user that the system requires; pass `nil` for an app without them.
    ///
    /// Without a value for `usesScenes`, the property is true, except for an app in the test's process whose
    /// installation has no scene delegate. A value that contradicts the app's delegates is a fault of the module
    /// SimulatedApple.
    public init(
        bundleIdentifier: String = "com.example.app", backgroundModes: Set<BackgroundMode> = [],
        permittedTaskIdentifiers: Set<String> = [], usesScenes: Bool? = nil,
        locationWhenInUseUsage: String? = "to show where you are",
        locationAlwaysUsage: String? = "to continue in the background",
        alarmUsage: String? = "to alert you at the time that you choose", supportsLiveActivities: Bool = true,
        appGroups: Set<String> = [], dataProtection: DataProtection = .completeUntilFirstUserAuthentication
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.backgroundModes = backgroundModes
        self.permittedTaskIdentifiers = permittedTaskIdentifiers
        self.usesScenes = usesScenes ?? true
        statesScenes = usesScenes != nil
        self.locationWhenInUseUsage = locationWhenInUseUsage
        self.locationAlwaysUsage = locationAlwaysUsage
        self.alarmUsage = alarmUsage
        self.supportsLiveActivities = supportsLiveActivities
        self.appGroups = appGroups
        self.dataProtection = dataProtection
    }

    /// The keys of the usage texts that are missing for each authorization.
    ///
    /// A request for an authorization with missing texts does nothing.
    ///
    /// Apple, documentation/corelocation/cllocationmanager/requestwheninuseauthorization() and
    /// …/requestalwaysauthorization()
    var missingLocationKeys: [LocationAuthorization: [String]] {
        func missing(_ text: String?, _ key: String) -> [String] { text?.isEmpty ?? true ? [key] : [] }
        let whenInUse = missing(locationWhenInUseUsage, "NSLocationWhenInUseUsageDescription")
        let always = missing(locationAlwaysUsage, "NSLocationAlwaysAndWhenInUseUsageDescription")
        return [.whenInUse: whenInUse, .always: whenInUse + always]
    }
}

/// All errors of an `Info.plist` from which no ``AppManifest`` can be made.
public struct AppManifestError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The errors, each of which begins with its key.
    public let problems: [String]

    /// A heading and one line for each problem.
    public var description: String {
        (["the Info.plist has mistakes:"] + problems.map { "  \($0)" })
            .joined(separator: "\n")
    }
}

extension AppManifest {
    /// Creates the manifest from the app's own `Info.plist`, so that the simulated phone follows what ships with the
    /// app.
    ///
    /// The file may be XML or a binary property list, from before or after the build. These keys are read:
    ///
    /// | Key | Becomes | Is refused |
    /// |---|---|---|
    /// | `UIBackgroundModes` | ``backgroundModes`` | a mode that Apple does not define. Modes that the simulated phone does not have, such as `voip`, are left out |
    /// | `BGTaskSchedulerPermittedIdentifiers` | ``permittedTaskIdentifiers`` | an empty identifier; a `*` that is not in a final `.*`; with the mode `processing`, a list without any identifier for its requests |
    /// | `UIApplicationSceneManifest` | ``usesScenes``, true if the key is present, and ``sceneDelegateClass`` | a value that is not a dictionary |
    /// | `CFBundleIdentifier` | ``bundleIdentifier`` | |
    /// | `NSAlarmKitUsageDescription` | ``alarmUsage`` | |
    /// | `NSLocationAlwaysAndWhenInUseUsageDescription` | ``locationAlwaysUsage`` | |
    /// | `NSSupportsLiveActivities` | ``supportsLiveActivities``, false if the key is missing | |
    /// | `NSLocationWhenInUseUsageDescription` | ``locationWhenInUseUsage`` | with the mode `location`, a missing or empty text, because requests for permission would do nothing |
    ///
    /// A build setting such as `$(PRODUCT_BUNDLE_IDENTIFIER)` is not expanded: if the app's identifiers contain one,
    /// pass the built file.
    ///
    /// Sources: Apple, the pages of the keys in "Information Property List", and "Choosing the Location Services
    /// Authorization to Request".
    ///
    /// - Parameter file: The location of the file. Reading it blocks the calling thread.
    /// - Throws: The errors of reading the file; ``AppManifestError``.
    public init(infoPlist file: URL) throws { try self.init(infoPlist: Data(contentsOf: file)) }

    /// Creates the manifest from the contents of an `Info.plist`; see ``init(infoPlist:)-(URL)``.
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
            locationWhenInUseUsage: keys.locationPurpose, locationAlwaysUsage: keys.alwaysPurpose,
            alarmUsage: keys.alarmPurpose, supportsLiveActivities: keys.supportsLiveActivities)
        infoPlist = contents
        sceneDelegateClass = keys.scenes?.delegateClass
    }
}

/// The keys of an `Info.plist` on which the simulated phone's rules depend.
private struct InfoPlist: Decodable {
    /// The manifest of scenes, which may be any dictionary.
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
        case alarmPurpose = "NSAlarmKitUsageDescription"
        case supportsLiveActivities = "NSSupportsLiveActivities"
    }

    let identifier: String?
    let modes: [String]
    let identifiers: [String]
    let scenes: Scenes?
    let locationPurpose: String?
    let alwaysPurpose: String?
    let alarmPurpose: String?
    let supportsLiveActivities: Bool

    init(from decoder: any Decoder) throws {
        let keys = try decoder.container(keyedBy: CodingKeys.self)
        identifier = try keys.decodeIfPresent(String.self, forKey: .identifier)
        modes = try keys.decodeIfPresent([String].self, forKey: .modes) ?? []
        identifiers = try keys.decodeIfPresent([String].self, forKey: .identifiers) ?? []
        scenes = try keys.decodeIfPresent(Scenes.self, forKey: .scenes)
        locationPurpose = try keys.decodeIfPresent(String.self, forKey: .locationPurpose)
        alwaysPurpose = try keys.decodeIfPresent(String.self, forKey: .alwaysPurpose)
        alarmPurpose = try keys.decodeIfPresent(String.self, forKey: .alarmPurpose)
        supportsLiveActivities = try keys.decodeIfPresent(Bool.self, forKey: .supportsLiveActivities) ?? false
    }

    /// The modes that Apple defines (Apple, "UIBackgroundModes").
    private static let allModes = [
        "audio", "bluetooth-central", "bluetooth-peripheral", "external-accessory", "fetch", "location",
        "nearby-interaction", "network-authentication", "newsstand-content", "processing", "push-to-talk",
        "remote-notification", "voip",
    ]

    var problems: [String] {
        var problems = modes.filter { !Self.allModes.contains($0) }.map { mode in
            let accepted = Self.allModes.joined(separator: ", ")
            return Self.problem(.modes, "“\(mode)” is not a background mode; the modes are \(accepted)")
        }
        problems += identifiers.filter(Self.isMisspelled).map { identifier in
            Self.problem(
                .identifiers,
                "“\(identifier)” is not an identifier of a task; write a name such as “com.example.app.refresh”, or "
                    + "for continued work a name that ends in “.*”")
        }
        if modes.contains("processing"), !identifiers.contains(where: { !$0.hasSuffix(".*") }) {
            problems.append(
                Self.problem(
                    .identifiers, "declares no task for the mode processing; add the identifiers of these tasks"))
        }
        if modes.contains("location"), locationPurpose?.isEmpty ?? true {
            problems.append(
                Self.problem(
                    .locationPurpose, "is missing or empty; without this text, the user is not asked for permission"))
        }
        return problems
    }

    private static func isMisspelled(_ identifier: String) -> Bool {
        let name = identifier.hasSuffix(".*") ? identifier.dropLast(2) : identifier[...]
        return name.isEmpty || name.contains("*")
    }

    private static func problem(_ key: CodingKeys, _ text: String) -> String { "\(key.rawValue): \(text)" }

    /// Returns the text of the problem for a file that cannot be decoded.
    static func problem(_ error: DecodingError) -> String {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            guard let key = context.codingPath.first else { return "the file: it is not a dictionary" }
            let form =
                switch CodingKeys(stringValue: key.stringValue) {
                case .modes, .identifiers: "an array of strings"
                case .scenes: "a dictionary"
                case .supportsLiveActivities: "a Boolean"
                case .identifier, .locationPurpose, .alwaysPurpose, .alarmPurpose, nil: "a string"
                }
            return "\(key.stringValue): it is not \(form)"
        default: return "the file: it is not a property list in XML or in binary form"
        }
    }
}
