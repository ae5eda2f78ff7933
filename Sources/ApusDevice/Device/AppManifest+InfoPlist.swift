public import Foundation

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
    /// It is read as XML or as a binary property list, before or after the build. These keys are looked at:
    ///
    /// | Key | Becomes | Is refused |
    /// |---|---|---|
    /// | `UIBackgroundModes` | ``backgroundModes`` | a mode that Apple does not have. Those that the simulated phone does not have, such as `voip`, are left out |
    /// | `BGTaskSchedulerPermittedIdentifiers` | ``permittedTaskIdentifiers`` | an empty one; a `*` that is not a last part of its own; none beside the mode `processing`, of which no request would be permitted |
    /// | `UIApplicationSceneManifest` | ``usesScenes``, true if the key is there | what is not a dictionary |
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
            backgroundModes: Set(keys.modes.compactMap { BackgroundMode(rawValue: $0) }),
            permittedTaskIdentifiers: Set(keys.identifiers), usesScenes: keys.scenes != nil,
            locationWhenInUseUsage: keys.locationPurpose, locationAlwaysUsage: keys.alwaysPurpose)
    }
}

/// The keys that the simulated phone's rules look at.
private struct InfoPlist: Decodable {
    /// Any dictionary.
    struct Scenes: Decodable {
        private enum CodingKeys: CodingKey {}

        init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: CodingKeys.self) }
    }

    enum CodingKeys: String, CodingKey {
        case modes = "UIBackgroundModes"
        case identifiers = "BGTaskSchedulerPermittedIdentifiers"
        case scenes = "UIApplicationSceneManifest"
        case locationPurpose = "NSLocationWhenInUseUsageDescription"
        case alwaysPurpose = "NSLocationAlwaysAndWhenInUseUsageDescription"
    }

    let modes: [String]
    let identifiers: [String]
    let scenes: Scenes?
    let locationPurpose: String?
    let alwaysPurpose: String?

    init(from decoder: any Decoder) throws {
        let keys = try decoder.container(keyedBy: CodingKeys.self)
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
                case .locationPurpose, .alwaysPurpose, nil: "a string"
                }
            return "\(key.stringValue): it is not \(form)"
        default: return "the file: it is no property list, neither in XML nor binary"
        }
    }
}
