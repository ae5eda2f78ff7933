import ApusDevice
import Foundation
import Testing

@Suite("An app's own Info.plist")
struct InfoPlistTests {
    private func plist(
        _ keys: [String: Any], _ format: PropertyListSerialization.PropertyListFormat = .xml
    ) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: keys, format: format, options: 0)
    }

    private func problems(_ keys: [String: Any]) throws -> [String] {
        let contents = try plist(keys)
        let error = #expect(throws: AppManifestError.self) { try AppManifest(infoPlist: contents) }
        return error?.problems ?? []
    }

    @Test("the manifest has the modes, identifiers and scenes of the file", arguments: [false, true])
    func read(isBinary: Bool) throws {
        let contents = try plist(
            [
                "CFBundleIdentifier": "com.example.mail", "CFBundleName": "Mail",
                "UIBackgroundModes": ["fetch", "processing", "location", "voip"],
                "BGTaskSchedulerPermittedIdentifiers": ["com.example.mail.refresh", "com.example.mail.export.*"],
                "UIApplicationSceneManifest": ["UIApplicationSupportsMultipleScenes": false],
                "NSAlarmKitUsageDescription": "Rings.", "NSSupportsLiveActivities": true,
                "NSLocationWhenInUseUsageDescription": "Shows the way.",
            ], isBinary ? .binary : .xml)
        var manifest = AppManifest(
            bundleIdentifier: "com.example.mail", backgroundModes: [.fetch, .processing, .location],
            permittedTaskIdentifiers: ["com.example.mail.refresh", "com.example.mail.export.*"], usesScenes: true,
            locationWhenInUseUsage: "Shows the way.", locationAlwaysUsage: nil, alarmUsage: "Rings.")
        manifest.infoPlist = contents
        #expect(try AppManifest(infoPlist: contents) == manifest)
    }

    @Test("the manifest of a file without scenes declares none")
    func file() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("info-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("Info.plist")
        try plist(["UIBackgroundModes": ["audio"]]).write(to: file)
        var manifest = AppManifest(
            backgroundModes: [.audio], usesScenes: false, locationWhenInUseUsage: nil, locationAlwaysUsage: nil,
            alarmUsage: nil, supportsLiveActivities: false)
        manifest.infoPlist = try Data(contentsOf: file)
        #expect(try AppManifest(infoPlist: file) == manifest)
        #expect(throws: (any Error).self) { try AppManifest(infoPlist: folder.appendingPathComponent("Other.plist")) }
    }

    @Test("the error of a misspelled mode has its name and the names of all modes")
    func misspelledMode() throws {
        let problems = try problems(["UIBackgroundModes": ["audio", "proccessing"]])
        #expect(problems.count == 1)
        let text = "UIBackgroundModes: “proccessing” is not a background mode; the modes are audio, "
        #expect(problems.first?.hasPrefix(text) == true)
    }

    @Test("a malformed identifier is refused", arguments: ["", ".*", "com.*.export", "com.example*"])
    func misspelledIdentifier(identifier: String) throws {
        let problems = try problems(["BGTaskSchedulerPermittedIdentifiers": [identifier]])
        #expect(problems.count == 1)
        let text = "BGTaskSchedulerPermittedIdentifiers: “\(identifier)” is not an identifier of a task"
        #expect(problems.first?.hasPrefix(text) == true)
    }

    @Test("processing without an identifier and location without a purpose are reported together")
    func missing() throws {
        let problems = try problems([
            "UIBackgroundModes": ["processing", "location"],
            "BGTaskSchedulerPermittedIdentifiers": ["com.example.mail.export.*"],
        ])
        #expect(
            problems.map { $0.prefix { $0 != ":" } } == [
                "BGTaskSchedulerPermittedIdentifiers", "NSLocationWhenInUseUsageDescription",
            ])
    }

    @Test("a value of another form is reported with its key")
    func otherForm() throws {
        #expect(try problems(["UIBackgroundModes": "audio"]) == ["UIBackgroundModes: it is not an array of strings"])
        #expect(
            try problems(["UIApplicationSceneManifest": true]) == ["UIApplicationSceneManifest: it is not a dictionary"]
        )
        let error = #expect(throws: AppManifestError.self) { try AppManifest(infoPlist: Data("hello {".utf8)) }
        #expect(error?.problems == ["the file: it is not a property list in XML or in binary form"])
    }
}
