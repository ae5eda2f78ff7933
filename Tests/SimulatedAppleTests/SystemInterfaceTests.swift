#if os(Linux)
    import ApusBackground
    import ApusDevice
    import Foundation
    import SimulatedAppleCore
    import Testing
    import UIKit

    /// The delegate of an app with `main.swift`.
    final class MainFileDelegate: UIResponder, UIApplicationDelegate {
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            SimulatedPhone.note("launched with \(type(of: self))")
            return true
        }
    }

    /// Counts its launches in the badge of its icon.
    private final class InterfaceDelegate: UIResponder, UIApplicationDelegate {
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            SimulatedPhone.note("number \(application.applicationIconBadgeNumber)")
            UNUserNotificationCenter.current().requestAuthorization(options: .badge) { _, _ in }
            return true
        }

        func applicationDidBecomeActive(_ application: UIApplication) {
            application.applicationIconBadgeNumber += 1
        }
    }

    /// Uses declarations that only describe an interface; the test is that this compiles.
    @MainActor
    private func describeInterface() -> String {
        let image = UIImageView(image: UIImage(systemName: "moon")?.withTintColor(.red))
        image.overrideUserInterfaceStyle = .dark
        let wheel = UIActivityIndicatorView(style: .large)
        wheel.startAnimating()
        let field = UITextField(frame: .zero)
        field.keyboardType = .decimalPad
        let text = UITextView(frame: .zero)
        text.text = "several\nlines"
        UINotificationFeedbackGenerator().notificationOccurred(.success)
        UIImpactFeedbackGenerator(style: .heavy).impactOccurred()
        UISelectionFeedbackGenerator().selectionChanged()
        UIPasteboard.general.string = "copied"
        let activity = NSUserActivity(activityType: "reading")
        activity.becomeCurrent()
        let insets = UIEdgeInsets(top: 1, left: 2, bottom: 3, right: 4)
        let orientations: UIInterfaceOrientationMask = [.portrait, .landscape]
        let item = UIApplicationShortcutItem(
            type: "new", localizedTitle: "New", icon: UIApplicationShortcutIcon(systemImageName: "plus"))
        UIApplication.shared.shortcutItems = [item]
        return "\(wheel.isAnimating) \(UIPasteboard.general.string ?? "") \(insets.left) "
            + "\(orientations.contains(.landscapeLeft)) \(UIDevice.current.userInterfaceIdiom == .phone) "
            + "\(UIViewController().traitCollection.userInterfaceStyle == .light)"
    }

    extension SimulatedAppleTests {
        @MainActor
        @Suite("What an app uses beside its own interface")
        struct SystemInterface {
            private func notes(_ device: SimulatedDevice) -> [String] {
                device.log.compactMap { if case .note(let text) = $0.what { text } else { nil } }
            }

            private func run(_ body: (SimulatedDevice) throws -> Void) throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(
                        on: device, manifest: AppManifest(usesScenes: false), delegate: InterfaceDelegate())
                    device.launch()
                    try body(device)
                }
            }

            @Test("UIApplicationMain runs the app whose delegate has the class with that name")
            func mainFile() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(
                        on: device, manifest: AppManifest(usesScenes: false),
                        program: {
                            MainActor.assumeIsolated {
                                _ = UIApplicationMain(0, nil, nil, NSStringFromClass(MainFileDelegate.self))
                            }
                        })
                    device.launch()
                    #expect(notes(device) == ["launched with MainFileDelegate"])
                }
            }

            @Test("the number on the icon outlives the process, and the notification center sets the same")
            func badge() throws {
                try run { device in
                    UNUserNotificationCenter.current().setBadgeCount(7)
                    device.advance(by: .seconds(1))
                    #expect(UIApplication.shared.applicationIconBadgeNumber == 7)
                    device.swipeAway()
                    device.launch()
                    #expect(notes(device) == ["number 0", "badge 1", "badge 7", "number 7", "badge 8"])
                }
            }

            @Test("an opened URL is a line of the log, and a warning that the app stays in the foreground")
            func openedURL() throws {
                try run { device in
                    let url = try #require(URL(string: UIApplication.openSettingsURLString))
                    #expect(UIApplication.shared.canOpenURL(url))
                    UIApplication.shared.open(url) { SimulatedPhone.note("opened \($0)") }
                    device.advance(by: .seconds(1))
                    #expect(notes(device).suffix(2) == ["opens app-settings:", "opened true"])
                    #expect(device.warnings.contains { $0.contains("no app is opened for a URL") })
                }
            }

            @Test("the notification center returns the categories that the process has set")
            func categories() throws {
                try run { device in
                    let snooze = UNNotificationAction(identifier: "snooze", title: "Snooze", options: [.foreground])
                    let answer = UNTextInputNotificationAction(
                        identifier: "answer", title: "Answer", textInputButtonTitle: "Send", textInputPlaceholder: "")
                    let center = UNUserNotificationCenter.current()
                    center.setNotificationCategories([
                        UNNotificationCategory(identifier: "alarm", actions: [snooze, answer], intentIdentifiers: [])
                    ])
                    center.getNotificationCategories { categories in
                        SimulatedPhone.note("\(categories.flatMap { $0.actions.map(\.title) })")
                    }
                    device.advance(by: .seconds(1))
                    #expect(notes(device).last == "[\"Snooze\", \"Answer\"]")
                }
            }

            @Test("values of user defaults are stored by key-value coding, and Timer() never fires")
            func foundation() throws {
                try run { device in
                    UserDefaults.standard.setValue(3, forKey: "count")
                    defer { UserDefaults.standard.removeObject(forKey: "count") }
                    #expect(UserDefaults.standard.integer(forKey: "count") == 3)
                    #expect(UserDefaults.standard.value(forKey: "count") as? Int == 3)
                    let timer = Timer()
                    #expect(!timer.isValid)
                    timer.invalidate()
                    #expect(MSEC_PER_SEC * USEC_PER_SEC == NSEC_PER_SEC)
                }
            }

            @Test("what only describes an interface keeps its values")
            func looks() throws {
                try run { _ in #expect(describeInterface() == "true copied 2.0 true true true") }
            }
        }
    }
#endif
