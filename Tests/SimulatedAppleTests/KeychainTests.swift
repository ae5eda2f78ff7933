#if os(Linux)
    import ApusBackground
    import ApusDevice
    import Foundation
    import SimulatedAppleCore
    import SimulatedSecurity
    import Testing
    import UIKit

    /// The keychain items of an app, each with a secret, and with an accessibility only if one is given.
    private enum Vault {
        static func query(_ account: String) -> [String: Any] {
            [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "com.example.mail",
                kSecAttrAccount as String: account,
            ]
        }

        static func add(_ account: String, _ secret: String, _ accessible: CFString? = nil) -> OSStatus {
            var attributes = query(account)
            attributes[kSecValueData as String] = Data(secret.utf8)
            if let accessible { attributes[kSecAttrAccessible as String] = accessible }
            return SecItemAdd(attributes as CFDictionary, nil)
        }

        static func read(_ account: String) -> String {
            var query = query(account)
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var item: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &item)
            guard status == errSecSuccess, let data = item as? Data else { return "\(status)" }
            return String(decoding: data, as: UTF8.self)
        }
    }

    /// Fills the keychain at its first launch, and reads it at each launch and each minute of its background task.
    private final class VaultApp: UIResponder, UIApplicationDelegate {
        private var claim = UIBackgroundTaskIdentifier.invalid

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            _ = Vault.add("default", "a")
            _ = Vault.add("background", "b", kSecAttrAccessibleAfterFirstUnlock)
            look("launch")
            return true
        }

        func applicationDidEnterBackground(_ application: UIApplication) {
            claim = application.beginBackgroundTask { [self] in
                look("locked")
                SimulatedPhone.note("added \(Vault.add("new", "c"))")
                application.endBackgroundTask(claim)
            }
        }

        private func look(_ when: String) {
            SimulatedPhone.note("\(when): \(Vault.read("default")), \(Vault.read("background"))")
        }
    }

    extension SimulatedAppleTests {
        /// The rules of Apple, documentation/security/restricting-keychain-item-accessibility.
        @MainActor
        @Suite("The keychain")
        struct KeychainTests {
            private func run(policy: SystemPolicy = SystemPolicy(), _ body: (SimulatedDevice) throws -> Void) throws {
                try SimulatedDevice.run(policy: policy) { device in
                    SimulatedPhone.install(on: device, delegate: VaultApp())
                    try body(device)
                }
                try SimulatedDevice.run(policy: policy) { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(VaultApp()) })
                    try body(device)
                }
            }

            @Test("on a locked device a secret is neither read nor written, unless it is for after the first unlock")
            func locked() throws {
                try run { device in
                    device.launch()
                    device.lock()
                    device.advance(by: .seconds(60))
                    #expect(device.notes == ["launch: a, b", "locked: -25308, b", "added -25308"])
                    #expect(device.logText.contains("the keychain item “default” is kSecAttrAccessibleWhenUnlocked"))
                }
            }

            @Test("a secret that cannot be read can be found without it, and deleted")
            func withoutSecret() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(VaultCleaner()) })
                    device.launch()
                    device.lock()
                    device.advance(by: .seconds(60))
                    #expect(device.notes == ["found 0, changed -25308, named 0, deleted 0, found -25300"])
                }
            }

            @Test("the keychain outlives the process, a restart and a new installation of the app")
            func survives() throws {
                try run { device in
                    device.launch()
                    device.kill()
                    device.reboot()
                    device.launch()
                    #expect(device.notes == ["launch: a, b", "launch: a, b"])
                    SimulatedPhone.install(on: device, delegate: VaultReader())
                    device.launch()
                    #expect(device.notes.last == "found a")
                }
            }

            @Test("items of another app are not found")
            func otherApp() throws {
                try run { device in
                    device.launch()
                    let manifest = AppManifest(bundleIdentifier: "com.example.other", usesScenes: false)
                    SimulatedPhone.install(on: device, manifest: manifest, delegate: VaultReader())
                    device.launch()
                    #expect(device.notes.last == "found -25300")
                }
            }

            @Test("items are added once, changed, listed and deleted")
            func items() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(VaultEditor()) })
                    device.launch()
                    #expect(
                        device.notes == [
                            "added 0, again -25299", "updated 0: new, missing -25300", "two accounts: one, two",
                            "all: 2", "attributes: two, ak, nothing", "deleted 0, again -25300", "not simulated -50",
                            "server 443: 1, other port -25300", "taken -25299",
                            "refused -50, -50, -50, -50", "synchronized: 0, -25299, 0, -25300, 0",
                        ])
                }
            }
        }
    }

    private final class VaultReader: UIResponder, UIApplicationDelegate {
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            SimulatedPhone.note("found \(Vault.read("default"))")
            return true
        }
    }

    /// Deletes its secret when its background task expires.
    private final class VaultCleaner: UIResponder, UIApplicationDelegate {
        private var claim = UIBackgroundTaskIdentifier.invalid

        func applicationDidEnterBackground(_ application: UIApplication) {
            _ = Vault.add("default", "a")
            claim = application.beginBackgroundTask { [self] in
                let query = Vault.query("default") as CFDictionary
                let found = SecItemCopyMatching(query, nil)
                let changed = SecItemUpdate(query, [kSecValueData as String: Data()] as CFDictionary)
                let named = SecItemUpdate(query, [kSecAttrLabel as String: "old"] as CFDictionary)
                let deleted = SecItemDelete(query)
                SimulatedPhone.note(
                    "found \(found), changed \(changed), named \(named), deleted \(deleted), "
                        + "found \(SecItemCopyMatching(query, nil))")
                application.endBackgroundTask(claim)
            }
        }
    }

    private final class VaultEditor: UIResponder, UIApplicationDelegate {
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            SimulatedPhone.note("added \(Vault.add("one", "old")), again \(Vault.add("one", "other"))")
            let change = [kSecValueData as String: Data("new".utf8)] as CFDictionary
            let status = SecItemUpdate(Vault.query("one") as CFDictionary, change)
            let missing = SecItemUpdate(Vault.query("none") as CFDictionary, change)
            SimulatedPhone.note("updated \(status): \(Vault.read("one")), missing \(missing)")
            _ = Vault.add("two", "second")
            list()
            delete()
            servers()
            let name = [kSecAttrAccount as String: "three"] as CFDictionary
            _ = (Vault.add("two", ""), Vault.add("three", ""))
            SimulatedPhone.note("taken \(SecItemUpdate(Vault.query("two") as CFDictionary, name))")
            refused()
            synchronized()
            return true
        }

        /// Makes calls that Apple's keychain refuses.
        ///
        /// They are an update whose query asks for data, an update that sets the class, a deletion with a match limit,
        /// and an addition with the synchronization value "any".
        private func refused() {
            var reading = Vault.query("one")
            reading[kSecReturnData as String] = true
            var limited = Vault.query("one")
            limited[kSecMatchLimit as String] = kSecMatchLimitOne
            let label = [kSecAttrLabel as String: "label"] as CFDictionary
            let query = Vault.query("one") as CFDictionary
            var anySynchronizable = Vault.query("four")
            anySynchronizable[kSecAttrSynchronizable as String] = kSecAttrSynchronizableAny
            SimulatedPhone.note(
                "refused \(SecItemUpdate(reading as CFDictionary, label)), \(SecItemUpdate(query, query)), "
                    + "\(SecItemDelete(limited as CFDictionary)), \(SecItemAdd(anySynchronizable as CFDictionary, nil))"
            )
        }

        /// Tests when items are the same.
        ///
        /// An item with the value `false` for synchronization is the same as one without a value, and differs from a
        /// synchronized item.
        private func synchronized() {
            var item = Vault.query("cloud")
            item[kSecAttrSynchronizable as String] = false
            let added = SecItemAdd(item as CFDictionary, nil)
            let again = SecItemAdd(Vault.query("cloud") as CFDictionary, nil)
            item[kSecAttrSynchronizable as String] = true
            let other = SecItemAdd(item as CFDictionary, nil)
            _ = SecItemDelete(Vault.query("cloud") as CFDictionary)
            let rest = SecItemCopyMatching(Vault.query("cloud") as CFDictionary, nil)
            item[kSecAttrSynchronizable as String] = kSecAttrSynchronizableAny
            SimulatedPhone.note(
                "synchronized: \(added), \(again), \(other), \(rest), \(SecItemCopyMatching(item as CFDictionary, nil))"
            )
        }

        private func list() {
            var all = Vault.query("")
            all[kSecAttrAccount as String] = nil
            all[kSecMatchLimit as String] = kSecMatchLimitAll
            all[kSecReturnAttributes as String] = true
            var items: CFTypeRef?
            _ = SecItemCopyMatching(all as CFDictionary, &items)
            let accounts = (items as? [[String: Any]] ?? []).compactMap { $0[kSecAttrAccount as String] as? String }
            SimulatedPhone.note("two accounts: \(accounts.joined(separator: ", "))")
            all[kSecReturnAttributes as String] = nil
            all[kSecReturnData as String] = kCFBooleanTrue
            _ = SecItemCopyMatching(all as CFDictionary, &items)
            SimulatedPhone.note("all: \((items as? [Data])?.count ?? 0)")
            var one = Vault.query("two")
            one[kSecReturnAttributes as String] = true
            var item: CFTypeRef?
            _ = SecItemCopyMatching(one as CFDictionary, &item)
            let found = item as? [String: Any] ?? [:]
            let accessible = found[kSecAttrAccessible as String] as? String ?? ""
            let data = found[kSecValueData as String] == nil ? "nothing" : "data"
            let account = found[kSecAttrAccount as String] as? String ?? ""
            SimulatedPhone.note("attributes: \(account), \(accessible), \(data)")
        }

        private func delete() {
            let query = Vault.query("two") as CFDictionary
            SimulatedPhone.note("deleted \(SecItemDelete(query)), again \(SecItemDelete(query))")
            var reference = Vault.query("one")
            reference["r_PersistentRef"] = true
            SimulatedPhone.note("not simulated \(SecItemCopyMatching(reference as CFDictionary, nil))")
        }

        private func servers() {
            var server: [String: Any] = [
                kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: "example.com",
                kSecAttrAccount as String: "me", kSecAttrPort as String: 443,
                kSecAttrProtocol as String: kSecAttrProtocolHTTPS, kSecValueData as String: Data("1".utf8),
            ]
            _ = SecItemAdd(server as CFDictionary, nil)
            server[kSecValueData as String] = nil
            server[kSecReturnData as String] = true
            var item: CFTypeRef?
            _ = SecItemCopyMatching(server as CFDictionary, &item)
            server[kSecAttrPort as String] = 80
            let other = SecItemCopyMatching(server as CFDictionary, nil)
            let found = (item as? Data).map { String(decoding: $0, as: UTF8.self) } ?? "none"
            SimulatedPhone.note("server 443: \(found), other port \(other)")
        }
    }
#endif
