#if os(Linux)
    import ApusBackground
    import ApusDevice
    import ApusTestTraits
    import SimulatedAppleCore
    import Testing
    import UIKit

    /// A screen with a timer that a button starts, a switch, a table, a hidden button and an alert.
    private final class EggController: UIViewController, UITableViewDataSource, UITableViewDelegate {
        private let label = UILabel()
        private let toggle = UISwitch()
        private let table = UITableView()
        private var seconds = 0

        override func viewDidLoad() {
            super.viewDidLoad()
            title = "Eggs"
            label.text = "0 s"
            let start = UIButton(primaryAction: UIAction(title: "Start") { [weak self] _ in self?.start() })
            let gone = UIButton(primaryAction: UIAction(title: "Gone") { _ in SimulatedPhone.note("gone") })
            gone.isHidden = true
            let sleep = UIButton(primaryAction: UIAction(title: "Sleep") { _ in Thread.sleep(forTimeInterval: 5) })
            let off = UIButton(primaryAction: UIAction(title: "Off") { _ in SimulatedPhone.note("off") })
            off.isEnabled = false
            toggle.accessibilityIdentifier = "loud"
            toggle.addAction(
                UIAction { [toggle] _ in SimulatedPhone.note("loud \(toggle.isOn)") }, for: .valueChanged)
            let field = UITextField()
            field.placeholder = "Name"
            table.dataSource = self
            table.delegate = self
            for shown in [label, start, gone, sleep, off, toggle, field, table] { view.addSubview(shown) }
            navigationItem.rightBarButtonItem = UIBarButtonItem(
                title: "Ask", primaryAction: UIAction { [weak self] _ in self?.ask() })
        }

        private func start() {
            _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] _ in
                MainActor.assumeIsolated {
                    guard let self else { return }
                    self.seconds += 1
                    self.label.text = "\(self.seconds) s"
                }
            }
        }

        private func ask() {
            let alert = UIAlertController(title: "Sure?", message: "It starts anew.", preferredStyle: .alert)
            alert.addAction(UIAlertAction(title: "Yes", style: .default) { _ in SimulatedPhone.note("yes") })
            present(alert, animated: true)
        }

        func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 2 }

        func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? { "Kinds" }

        func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
            let cell = UITableViewCell(style: .value1, reuseIdentifier: nil)
            cell.textLabel?.text = ["Soft", "Hard"][indexPath.row]
            cell.detailTextLabel?.text = ["4 min", "8 min"][indexPath.row]
            return cell
        }

        func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
            SimulatedPhone.note("row \(indexPath.row)")
        }
    }

    private final class EggDelegate: UIResponder, UIApplicationDelegate {
        var window: UIWindow?

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            window = UIWindow()
            window?.rootViewController = UINavigationController(rootViewController: EggController())
            window?.makeKeyAndVisible()
            return true
        }
    }

    /// The two forms in which an app is installed.
    private enum Form: String, CaseIterable {
        case testProcess, ownProcess

        @MainActor
        func run(_ body: (SimulatedDevice) throws -> Void) throws {
            try SimulatedDevice.run { device in
                switch self {
                case .testProcess: SimulatedPhone.install(on: device, delegate: EggDelegate())
                case .ownProcess: SimulatedPhone.install(on: device, program: { SimulatedPhone.run(EggDelegate()) })
                }
                device.launch()
                try body(device)
            }
        }
    }

    @MainActor
    @Suite("The screen of an app, in the test's process and in one of its own", .serialized, .simulatedPhone())
    struct ScreenTests {
        private static let lines = [
            "Eggs", "Ask", "0 s", "Start", "Sleep", "Off", "Name", "Kinds", "Soft", "4 min", "Hard", "8 min",
        ]

        @Test(
            "the texts of labels, buttons, fields, rows and bars can be read, without those that are hidden",
            arguments: Form.allCases)
        private func reads(_ form: Form) throws {
            try form.run { device in
                let lines = try SimulatedPhone.screen(on: device)
                #expect(lines == Self.lines)
            }
        }

        @Test("a button that is tapped in a process of the app's own starts a timer, which the screen shows")
        func timer() throws {
            try Form.ownProcess.run { device in
                try SimulatedPhone.tap("Start", on: device)
                device.advance(by: .seconds(3))
                try #expect(SimulatedPhone.screen(on: device).contains("3 s"))
            }
        }

        @Test("buttons, bar buttons, alerts, switches and rows are tapped in both forms", arguments: Form.allCases)
        private func taps(_ form: Form) throws {
            try form.run { device in
                try SimulatedPhone.tap("loud", on: device)
                try SimulatedPhone.tap("loud", on: device)
                try SimulatedPhone.tap("Hard", on: device)
                try SimulatedPhone.tapRow(at: IndexPath(row: 0, section: 0), on: device)
                #expect(throws: ScreenError.self) {
                    try SimulatedPhone.tapRow(at: IndexPath(row: 2, section: 0), on: device)
                }
                try SimulatedPhone.tap("Ask", on: device)
                try #expect(SimulatedPhone.screen(on: device) == ["Sure?", "It starts anew.", "Yes"])
                try SimulatedPhone.tap("Yes", on: device)
                #expect(device.notes == ["loud true", "loud false", "row 1", "row 0", "yes"])
                try #expect(SimulatedPhone.screen(on: device) == Self.lines)
            }
        }

        @Test(
            "an element that is missing, hidden or disabled cannot be tapped, and the error lists the texts on the screen",
            arguments: Form.allCases)
        private func notThere(_ form: Form) throws {
            try form.run { device in
                for title in ["Stop", "Gone", "Off", "0 s"] {
                    let error = #expect(throws: ScreenError.self) { try SimulatedPhone.tap(title, on: device) }
                    #expect(error == .notThere("“\(title)”", screen: Self.lines))
                }
                let text = ScreenError.notThere("“Stop”", screen: ["Eggs", "Start"]).description
                #expect(text == "there is no enabled “Stop” on the screen; the screen shows “Eggs”, “Start”")
                #expect(device.notes == [])
            }
        }

        @Test("an app that is not in front cannot be tapped, and the error says so", arguments: Form.allCases)
        private func notInFront(_ form: Form) throws {
            try form.run { device in
                @MainActor func problem() -> String {
                    do throws(ScreenError) {
                        try SimulatedPhone.tap("Start", on: device)
                        return ""
                    } catch { return error.description }
                }
                device.receiveCall()
                #expect(
                    problem() == "the app is not active, so the user can neither see nor touch it; open it first")
                try #expect(SimulatedPhone.screen(on: device) == Self.lines)
                device.endCall()
                device.pressHome()
                #expect(problem().hasPrefix("the app is in the background"))
                device.advance(by: .seconds(60))
                #expect(problem().hasPrefix("the app is suspended"))
                #expect(throws: ScreenError.notInFront(.suspended)) { try SimulatedPhone.screen(on: device) }
                device.kill()
                #expect(problem().hasPrefix("the app is not running"))
                device.launch()
                #expect(problem() == "")
            }
        }

        @Test("a tap waits until the app's main thread no longer sleeps, and the error says so")
        func busy() throws {
            try Form.ownProcess.run { device in
                #expect(throws: ScreenError.busy) { try SimulatedPhone.tap("Sleep", on: device) }
                #expect(throws: ScreenError.busy) { try SimulatedPhone.tap("loud", on: device) }
                #expect(throws: ScreenError.busy) { try SimulatedPhone.screen(on: device) }
                #expect(device.notes == [])
                device.advance(by: .seconds(5))
                #expect(device.notes == ["loud true"])
                try #expect(SimulatedPhone.screen(on: device) == Self.lines)
            }
        }

        @Test("an app without a window shows nothing, whether it has UIKit or not")
        func nothingShown() throws {
            let programs: [@convention(c) () -> Void] = [
                { _ = Timer.scheduledTimer(withTimeInterval: 60, repeats: true) { _ in } },
                { SimulatedPhone.run(NothingDelegate()) },
            ]
            for program in programs {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: program)
                    device.launch()
                    #expect(throws: ScreenError.nothingShown) { try SimulatedPhone.screen(on: device) }
                    #expect(throws: ScreenError.nothingShown) { try SimulatedPhone.tap("Start", on: device) }
                }
            }
        }
    }

    private final class NothingDelegate: UIResponder, UIApplicationDelegate {}
#endif
