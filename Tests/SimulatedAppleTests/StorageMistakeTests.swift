#if os(Linux)
    import ApusBackground
    import ApusDevice
    import CoreLocation
    import Foundation
    import SimulatedAppleCore
    import SimulatedSecurity
    import Testing
    import UIKit

    /// An app's own code.
    @MainActor
    private protocol Storage {
        func begin()
        func becomeActive()
        func continueInBackground()
    }

    extension Storage {
        func begin() {}
        func becomeActive() {}
        func continueInBackground() {}
    }

    /// The common part of the apps below: the system starts them for a move, and they ask for time in the background.
    ///
    /// Their own code is not in subclasses, because each process would examine a subclass for methods that are never
    /// called.
    private final class StorageApp: UIResponder, UIApplicationDelegate, CLLocationManagerDelegate {
        private let storage: any Storage
        private let manager = CLLocationManager()
        private var claim = UIBackgroundTaskIdentifier.invalid

        init(_ storage: any Storage) { self.storage = storage }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            manager.delegate = self
            manager.requestAlwaysAuthorization()
            manager.startMonitoringSignificantLocationChanges()
            storage.begin()
            return true
        }

        func applicationDidBecomeActive(_ application: UIApplication) { storage.becomeActive() }

        func applicationDidEnterBackground(_ application: UIApplication) {
            claim = application.beginBackgroundTask { [self] in
                storage.continueInBackground()
                application.endBackgroundTask(claim)
            }
        }
    }

    @MainActor
    private func run(_ storage: any Storage) { SimulatedPhone.run(StorageApp(storage)) }

    private func secret(_ account: String) -> [String: Any] {
        [kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account]
    }

    private func read(_ account: String) -> (status: OSStatus, text: String?) {
        var query = secret(account)
        query[kSecReturnData as String] = true
        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        return (status, (item as? Data).map { String(decoding: $0, as: UTF8.self) })
    }

    private func add(_ text: String, _ account: String, _ accessible: CFString = kSecAttrAccessibleAfterFirstUnlock) {
        var attributes = secret(account)
        attributes[kSecValueData as String] = Data(text.utf8)
        attributes[kSecAttrAccessible as String] = accessible
        _ = SecItemAdd(attributes as CFDictionary, nil)
    }

    /// Treats a session that it cannot read as a missing one, and signs the user out.
    private struct SigningOut: Storage {
        let isMended: Bool

        func begin() {
            let mark = NSHomeDirectory() + "/installed"
            if !FileManager.default.fileExists(atPath: mark) {
                _ = FileManager.default.createFile(atPath: mark, contents: nil)
                add("Ada", "session")
            }
            load()
        }

        func becomeActive() {
            load()
            SimulatedPhone.note("signed in: \(read("session").text ?? "no")")
        }

        private func load() {
            guard read("session").text == nil else { return }
            if isMended, !UIApplication.shared.isProtectedDataAvailable { return }
            _ = SecItemDelete(secret("session") as CFDictionary)
        }
    }

    /// Reads its token in the background, where the keychain's default accessibility does not allow this.
    private struct Refreshing: Storage {
        let accessible: CFString

        func begin() { add("token", "refresh", accessible) }

        func continueInBackground() {
            SimulatedPhone.note("refresh \(read("refresh").text ?? "impossible")")
        }
    }

    /// Mistakes `isProtectedDataAvailable` for the first unlock, and therefore sends nothing while the device is
    /// locked.
    private struct Waiting: Storage {
        let isMended: Bool

        private var isUnlockedOnce: Bool {
            isMended ? read("canary").status == errSecSuccess : UIApplication.shared.isProtectedDataAvailable
        }

        func begin() { add("", "canary") }

        func continueInBackground() { SimulatedPhone.note(isUnlockedOnce ? "sent" : "kept back") }
    }

    /// Gives its user a new number if the user defaults contain none, as if each such launch were the first one.
    private struct Naming: Storage {
        let isMended: Bool

        func begin() { if !isMended || UIApplication.shared.isProtectedDataAvailable { name() } }

        func becomeActive() {
            name()
            SimulatedPhone.note("user \(UserDefaults.standard.integer(forKey: "user"))")
        }

        private func name() {
            let defaults = UserDefaults.standard
            if defaults.object(forKey: "user") == nil {
                defaults.set(Int(Date().timeIntervalSince1970), forKey: "user")
            }
        }
    }

    /// Writes its notes in the background, into a file with the given protection.
    private struct Writing: Storage {
        let type: FileProtectionType

        private var path: String { NSHomeDirectory() + "/notes" }

        func begin() {
            _ = FileManager.default.createFile(
                atPath: path, contents: Data("one".utf8), attributes: [.protectionKey: type])
        }

        func continueInBackground() {
            let file = FileHandle(forUpdatingAtPath: path)
            _ = try? file?.seekToEnd()
            try? file?.write(contentsOf: Data(" two".utf8))
            SimulatedPhone.note(file == nil ? "lost" : "written")
        }
    }

    extension SimulatedAppleTests {
        /// Tests published mistakes with data that a locked device protects, and their remedies.
        ///
        /// - The session: github.com/kylebshr/luka-ios/pull/134
        /// - The token: github.com/ooni/probe-multiplatform/pull/1529
        /// - The first unlock: github.com/OneSignal/OneSignal-iOS-SDK/pull/1668
        /// - The user's name: github.com/RevenueCat/purchases-ios/issues/4623
        /// - The file: github.com/covidwatchorg/covidwatch-ios-en/issues/20
        @MainActor
        @Suite("Mistakes with a locked device")
        struct StorageMistakeTests {
            private func notes(
                of program: @convention(c) () -> Void, _ steps: @MainActor (SimulatedDevice) -> Void
            ) throws -> [String] {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: program)
                    device.location.setAuthorization(.always)
                    move(device, to: 50)
                    device.launch()
                    device.advance(by: .seconds(600))
                    steps(device)
                    return device.notes
                }
            }

            private func move(_ device: SimulatedDevice, to latitude: Double) {
                device.location.setRoute(.standing(at: LocationRoute.Place(latitude: latitude, longitude: 8)))
            }

            /// Restarts the device; the system starts the app before the first unlock, and the user opens it later.
            private func restart(_ device: SimulatedDevice) {
                device.reboot()
                move(device, to: 51)
                device.advance(by: .seconds(600))
                device.open()
            }

            private func lock(_ device: SimulatedDevice) {
                device.lock()
                device.advance(by: .seconds(60))
            }

            @Test("an app that takes an unreadable session for none signs its user out at a restart")
            func session() throws {
                let mistaken = try notes(of: { run(SigningOut(isMended: false)) }, restart)
                #expect(mistaken == ["signed in: Ada", "signed in: no"])
                let mended = try notes(of: { run(SigningOut(isMended: true)) }, restart)
                #expect(mended == ["signed in: Ada", "signed in: Ada"])
            }

            @Test("a token with the default accessibility is not refreshed on a locked device")
            func token() throws {
                let mistaken = try notes(of: { run(Refreshing(accessible: kSecAttrAccessibleWhenUnlocked)) }, lock)
                #expect(mistaken == ["refresh impossible"])
                let mended = try notes(of: { run(Refreshing(accessible: kSecAttrAccessibleAfterFirstUnlock)) }, lock)
                #expect(mended == ["refresh token"])
            }

            @Test("an app that takes protected data for the first unlock does nothing on a locked device")
            func firstUnlock() throws {
                #expect(try notes(of: { run(Waiting(isMended: false)) }, lock) == ["kept back"])
                #expect(try notes(of: { run(Waiting(isMended: true)) }, lock) == ["sent"])
            }

            @Test("an app that names its user when it reads no name has another user after a restart")
            func name() throws {
                let mistaken = try notes(of: { run(Naming(isMended: false)) }, restart)
                #expect(mistaken.count == 2 && Set(mistaken).count == 2)
                let mended = try notes(of: { run(Naming(isMended: true)) }, restart)
                #expect(mended.count == 2 && Set(mended).count == 1)
            }

            @Test("a file with complete protection is not written in the background of a locked device")
            func file() throws {
                #expect(try notes(of: { run(Writing(type: .complete)) }, lock) == ["lost"])
                let mended = try notes(
                    of: { run(Writing(type: .completeUntilFirstUserAuthentication)) }, lock)
                #expect(mended == ["written"])
            }
        }
    }
#endif
