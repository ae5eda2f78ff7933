#if os(Linux)
    import ApusBackground
    import ApusDevice
    import CoreLocation
    import Foundation
    import SimulatedAppleCore
    import SimulatedSecurity
    import Testing
    import UIKit

    /// Keeps a session in its defaults, its keychain and a file, and notes which of the three it can read.
    ///
    /// It looks at each launch, whenever it becomes active, and when protected data becomes available.
    private final class Session: UIResponder, UIApplicationDelegate, CLLocationManagerDelegate {
        private let manager = CLLocationManager()
        private var claim = UIBackgroundTaskIdentifier.invalid
        /// Whether the app keeps running in the background.
        var staysAwake = false

        static var file: URL { URL(filePath: NSHomeDirectory()).appending(path: "session") }
        static var isFirst: Bool { !FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) }
        static var query: [String: Any] {
            [kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "token"]
        }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            manager.delegate = self
            manager.requestAlwaysAuthorization()
            manager.startMonitoringSignificantLocationChanges()
            look("launch")
            if staysAwake { claim = application.beginBackgroundTask { [self] in application.endBackgroundTask(claim) } }
            return true
        }

        func applicationDidBecomeActive(_ application: UIApplication) { look("active") }

        func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) { look("available") }

        func look(_ when: String) {
            var query = Self.query
            query[kSecReturnData as String] = true
            let status = SecItemCopyMatching(query as CFDictionary, nil)
            let name = UserDefaults.standard.string(forKey: "name") ?? "nil"
            let file: String
            do { file = try String(contentsOf: Self.file, encoding: .utf8) } catch {
                file = "\((error as NSError).code)"
            }
            SimulatedPhone.note("\(when): defaults \(name), keychain \(status), file \(file)")
        }

        /// Stores a session, as the first launch does.
        static func begin() {
            UserDefaults.standard.set("Ada", forKey: "name")
            try? Data("open".utf8).write(to: file)
            var attributes = query
            attributes[kSecValueData as String] = Data([1])
            attributes[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlock
            _ = SecItemAdd(attributes as CFDictionary, nil)
        }
    }

    /// Stores a new user if it finds none at its launch, and so overwrites a user that it cannot read yet.
    private final class Overwriter: UIResponder, UIApplicationDelegate, CLLocationManagerDelegate {
        private let manager = CLLocationManager()

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            manager.delegate = self
            manager.requestAlwaysAuthorization()
            manager.startMonitoringSignificantLocationChanges()
            if UserDefaults.standard.string(forKey: "user") == nil { UserDefaults.standard.set("new", forKey: "user") }
            SimulatedPhone.note("user \(UserDefaults.standard.string(forKey: "user") ?? "nil")")
            return true
        }
    }

    private protocol Accessible { static var always: CFString { get } }

    /// Reads the deprecated constant through a protocol, so that the compiler does not warn about its use.
    private enum Accessibility: Accessible {
        @available(*, deprecated)
        static var always: CFString { kSecAttrAccessibleAlways }
    }

    /// Has an item for after the first unlock and one that can always be read; at each launch it looks for the first
    /// without its secret, and reads the other one.
    private final class Finder: UIResponder, UIApplicationDelegate, CLLocationManagerDelegate {
        private let manager = CLLocationManager()

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            manager.delegate = self
            manager.requestAlwaysAuthorization()
            manager.startMonitoringSignificantLocationChanges()
            var always = Session.query
            always[kSecAttrAccount as String] = "always"
            if Session.isFirst {
                Session.begin()
                var added = always
                added[kSecValueData as String] = Data([2])
                added[kSecAttrAccessible as String] = (Accessibility.self as any Accessible.Type).always
                _ = SecItemAdd(added as CFDictionary, nil)
            }
            always[kSecReturnData as String] = true
            let label = [kSecAttrLabel as String: "old"] as CFDictionary
            SimulatedPhone.note(
                "found \(SecItemCopyMatching(Session.query as CFDictionary, nil)), "
                    + "named \(SecItemUpdate(Session.query as CFDictionary, label)), "
                    + "read \(SecItemCopyMatching(always as CFDictionary, nil))")
            return true
        }
    }

    /// An app with a file of each protection type, which tries to open the files at its launch and when its background
    /// task expires.
    private final class Archive: UIResponder, UIApplicationDelegate {
        private var claim = UIBackgroundTaskIdentifier.invalid

        static let types: [FileProtectionType] = [
            .none, .completeUntilFirstUserAuthentication, .completeUnlessOpen, .complete,
        ]

        static func path(_ name: String) -> String { NSHomeDirectory() + "/" + name }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            for type in Self.types where !FileManager.default.fileExists(atPath: Self.path(type.rawValue)) {
                let isMade = FileManager.default.createFile(
                    atPath: Self.path(type.rawValue), contents: Data([1]), attributes: [.protectionKey: type])
                if !isMade { SimulatedPhone.note("\(type.rawValue) was not made") }
            }
            look("launch")
            return true
        }

        func applicationDidEnterBackground(_ application: UIApplication) {
            claim = application.beginBackgroundTask { [self] in
                look("locked")
                for path in ["C", "POSIX"].map(Self.path) {
                    let file = fopen(path, "w")
                    SimulatedPhone.note("new \(file == nil ? errno : 0)")
                    if let file { fclose(file) }
                }
                application.endBackgroundTask(claim)
            }
        }

        private func look(_ when: String) {
            let errors = Self.types.map { type -> Int32 in
                let file = open(Self.path(type.rawValue), O_RDONLY)
                defer { if file >= 0 { close(file) } }
                return file < 0 ? errno : 0
            }
            SimulatedPhone.note("\(when): \(errors)")
        }
    }

    extension SimulatedAppleTests {
        /// The system's storage before the first unlock after a restart: github.com/lionheart/openradar-mirror/issues/12487;
        /// Apple, documentation/uikit/encrypting-your-app-s-files.
        @MainActor
        @Suite("Before the first unlock")
        struct BeforeFirstUnlockTests {
            private func run(
                policy: SystemPolicy = SystemPolicy(), manifest: AppManifest = AppManifest(usesScenes: false),
                _ program: @convention(c) () -> Void, _ body: (SimulatedDevice) throws -> Void
            ) throws {
                try SimulatedDevice.run(policy: policy) { device in
                    SimulatedPhone.install(on: device, manifest: manifest, program: program)
                    device.location.setAuthorization(.always)
                    move(device, to: 50)
                    try body(device)
                }
            }

            private func move(_ device: SimulatedDevice, to latitude: Double) {
                device.location.setRoute(.standing(at: LocationRoute.Place(latitude: latitude, longitude: 8)))
            }

            private func restart(_ device: SimulatedDevice, thenFor duration: Duration = .seconds(600)) {
                device.launch()
                device.advance(by: .seconds(600))
                device.reboot()
                move(device, to: 51)
                device.advance(by: duration)
            }

            @Test(
                "a move starts the app before the first unlock, where it finds neither defaults nor keychain nor files"
            )
            func finds() throws {
                try run(
                    {
                        if Session.isFirst { Session.begin() }
                        SimulatedPhone.run(Session())
                    },
                    { device in
                        restart(device)
                        let all = "defaults Ada, keychain 0, file open"
                        #expect(
                            device.notes == [
                                "launch: \(all)", "active: \(all)", "launch: defaults nil, keychain -25308, file 257",
                            ])
                        device.open()
                        #expect(device.notes.last == "active: \(all)")
                    })
            }

            @Test(
                "an app that continues while the device is unlocked for the first time reads its storage when it is notified"
            )
            func notified() throws {
                try run(
                    {
                        if Session.isFirst { Session.begin() }
                        let session = Session()
                        session.staysAwake = true
                        SimulatedPhone.run(session)
                    },
                    { device in
                        restart(device, thenFor: .seconds(5))
                        device.unlock()
                        #expect(device.notes.last == "available: defaults Ada, keychain 0, file open")
                    })
            }

            @Test("a phone may not find keychain items before the first unlock, instead of refusing to read them")
            func hidden() throws {
                var policy = SystemPolicy()
                policy.hidesKeychainBeforeFirstUnlock = true
                try run(
                    policy: policy,
                    {
                        if Session.isFirst { Session.begin() }
                        SimulatedPhone.run(Session())
                    },
                    { device in
                        restart(device)
                        #expect(device.notes.last == "launch: defaults nil, keychain -25300, file 257")
                    })
            }

            @Test(
                "items that a phone hides are not found without their secrets either; one that can always be read is found",
                arguments: [(false, "found 0, named 0, read 0"), (true, "found -25300, named -25300, read 0")])
            func hiddenWithoutSecret(hides: Bool, expected: String) throws {
                var policy = SystemPolicy()
                policy.hidesKeychainBeforeFirstUnlock = hides
                try run(
                    policy: policy, { SimulatedPhone.run(Finder()) },
                    { device in
                        restart(device)
                        #expect(device.notes == ["found 0, named 0, read 0", expected])
                        #expect(device.warnings.contains { $0.contains("“token”") } == hides)
                    })
            }

            @Test("a file of the defaults that C code writes before the first unlock can be read back")
            func defaultsOfC() throws {
                try run(
                    {
                        mkdir(NSHomeDirectory() + "/.config", 0o700)
                        let path = NSHomeDirectory() + "/.config/settings.plist"
                        let results = ["w", "r"].map { mode in
                            let file = fopen(path, mode)
                            defer { if let file { fclose(file) } }
                            return file == nil ? errno : 0
                        }
                        SimulatedPhone.note("opened \(results)")
                        SimulatedPhone.run(Session())
                    },
                    { device in
                        restart(device)
                        #expect(device.notes.filter { $0.hasPrefix("opened") } == ["opened [0, 0]", "opened [0, 0]"])
                    })
            }

            @Test("defaults that are written before the first unlock take the place of those that could not be read")
            func overwritten() throws {
                try run(
                    {
                        let defaults = UserDefaults.standard
                        let file = URL(filePath: NSHomeDirectory()).appending(path: "began")
                        if !FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) {
                            try? Data().write(to: file)
                            defaults.set("Ada", forKey: "user")
                            defaults.set("kept", forKey: "other")
                        }
                        SimulatedPhone.run(Overwriter())
                    },
                    { device in
                        restart(device)
                        #expect(device.notes == ["user Ada", "user new"])
                        device.unlock()
                        device.advance(by: .seconds(60))
                        device.kill()
                        device.launch()
                        #expect(device.notes.last == "user new")
                    })
            }

            @Test("a file of a locked device is opened or not by its protection class, with the error EPERM")
            func classes() throws {
                try run(
                    { SimulatedPhone.run(Archive()) },
                    { device in
                        device.launch()
                        device.lock()
                        device.advance(by: .seconds(60))
                        #expect(
                            device.notes == [
                                "launch: [0, 0, 0, 0]", "locked: [0, 0, 1, 1]", "new 0", "new 0",
                            ])
                        device.kill()
                        device.open()
                        #expect(device.notes.last == "launch: [0, 0, 0, 0]")
                    })
            }

            @Test(
                "with the entitlement for complete protection, other files are not opened or made on a locked device either"
            )
            func entitlement() throws {
                try run(
                    manifest: AppManifest(usesScenes: false, dataProtection: .complete),
                    { SimulatedPhone.run(Archive()) },
                    { device in
                        device.launch()
                        device.lock()
                        device.advance(by: .seconds(60))
                        #expect(device.notes.suffix(3) == ["locked: [0, 0, 1, 1]", "new 1", "new 1"])
                    })
            }

            @Test("a prewarmed process before the first unlock reads nothing, and what it has kept is wrong afterwards")
            func prewarmed() throws {
                try run(
                    {
                        if Session.isFirst { Session.begin() }
                        let name = UserDefaults.standard.string(forKey: "name") ?? "nil"
                        SimulatedPhone.note("main: \(name)")
                        SimulatedPhone.run(Session())
                    },
                    { device in
                        device.launch()
                        device.advance(by: .seconds(10))
                        device.reboot()
                        device.prewarm()
                        #expect(device.notes.last == "main: nil")
                        device.open()
                        #expect(device.notes.last == "active: defaults Ada, keychain 0, file open")
                    })
            }
        }
    }
#endif
