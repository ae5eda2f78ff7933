import ApusDevice
import ApusTimers
import SimulatedAppleCore
import Testing
import UIKit

@testable import SampleAppsSwift5
@testable import SampleAppsSwift6

/// Notes when it is loaded, and when it appears and disappears.
private final class NotedController: UIViewController {
    private let name: String
    private let journal: Journal

    init(_ name: String, _ journal: Journal) {
        self.name = name
        self.journal = journal
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    private func note(_ call: String) { journal.lines.append("\(name) \(call)") }
    override func viewDidLoad() { note("loaded") }
    override func viewWillAppear(_ animated: Bool) { note("will appear") }
    override func viewIsAppearing(_ animated: Bool) { note("is appearing") }
    override func viewDidAppear(_ animated: Bool) { note("did appear") }
    override func viewWillDisappear(_ animated: Bool) { note("will disappear") }
    override func viewDidDisappear(_ animated: Bool) { note("did disappear") }
}

private final class WindowDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    private let makeRoot: () -> UIViewController

    init(_ makeRoot: @escaping () -> UIViewController) {
        self.makeRoot = makeRoot
        super.init()
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let window = UIWindow(frame: UIScreen.main.bounds)
        window.rootViewController = makeRoot()
        window.makeKeyAndVisible()
        self.window = window
        return true
    }
}

/// A table of three rows, which notes the taps.
private final class Rows: NSObject, UITableViewDataSource, UITableViewDelegate {
    var rows = ["one", "two", "three"]
    var taps: [Int] = []

    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { rows.count }

    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let cell = tableView.dequeueReusableCell(withIdentifier: "cell", for: indexPath)
        cell.textLabel?.text = rows[indexPath.row]
        return cell
    }

    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) { taps.append(indexPath.row) }
}

extension SimulatedAppleTests {
    @MainActor
    @Suite("Views and view controllers")
    struct Views {
        /// Runs a launched app with a window; the body gets the device, the journal and the controller.
        private func run(_ body: (SimulatedDevice, Journal, NotedController) throws -> Void) throws {
            try SimulatedDevice.run { device in
                let journal = Journal()
                SimulatedPhone.install(on: device, delegate: WindowDelegate { NotedController("root", journal) })
                device.launch()
                let window = UIApplication.shared.keyWindow
                try body(device, journal, #require(window?.rootViewController as? NotedController))
            }
        }

        @Test("a visible window loads the view once and has it appear; home and back call nothing")
        func window() throws {
            try run { device, journal, root in
                #expect(
                    journal.take() == ["root loaded", "root will appear", "root is appearing", "root did appear"])
                #expect(root.view.window === UIApplication.shared.keyWindow)
                #expect(root.view.bounds.size == UIScreen.main.bounds.size)
                device.pressHome()
                device.open()
                #expect(journal.take().isEmpty)
            }
        }

        @Test("a sheet leaves the presenting view where it is, and a full screen has it disappear and appear")
        func presentation() throws {
            try run { _, journal, root in
                _ = journal.take()
                let sheet = NotedController("sheet", journal)
                root.present(sheet, animated: true) { journal.lines.append("presented") }
                #expect(
                    journal.take() == [
                        "sheet loaded", "sheet will appear", "sheet is appearing", "sheet did appear", "presented",
                    ])
                #expect(sheet.presentingViewController === root)
                sheet.dismiss(animated: true) { journal.lines.append("dismissed") }
                #expect(journal.take() == ["sheet will disappear", "sheet did disappear", "dismissed"])
                #expect(root.presentedViewController == nil)
                let full = NotedController("full", journal)
                full.modalPresentationStyle = .fullScreen
                root.present(full, animated: false)
                #expect(
                    journal.take() == [
                        "root will disappear", "full loaded", "full will appear", "full is appearing",
                        "full did appear", "root did disappear",
                    ])
                root.dismiss(animated: false)
                #expect(
                    journal.take() == [
                        "root will appear", "full will disappear", "full did disappear", "root is appearing",
                        "root did appear",
                    ])
            }
        }

        @Test("a second presentation, and one before the view is in a window, are refused with a warning")
        func refusals() throws {
            try run { device, journal, root in
                root.present(UIViewController(), animated: false)
                root.present(UIViewController(), animated: false)
                let hidden = NotedController("hidden", journal)
                hidden.present(UIViewController(), animated: false)
                #expect(hidden.presentedViewController == nil)
                #expect(
                    device.warnings == [
                        "refused to present UIViewController on NotedController, which presents another controller",
                        "refused to present UIViewController on NotedController, whose view is not in a window",
                    ])
            }
        }

        @Test("a navigation controller has the pushed view appear and the covered one disappear, and back")
        func navigation() throws {
            try SimulatedDevice.run { device in
                let journal = Journal()
                SimulatedPhone.install(
                    on: device,
                    delegate: WindowDelegate {
                        UINavigationController(rootViewController: NotedController("root", journal))
                    })
                device.launch()
                #expect(
                    journal.take() == ["root loaded", "root will appear", "root is appearing", "root did appear"])
                let navigation = try #require(
                    UIApplication.shared.keyWindow?.rootViewController as? UINavigationController)
                let detail = NotedController("detail", journal)
                navigation.pushViewController(detail, animated: true)
                #expect(detail.navigationController === navigation)
                #expect(
                    journal.take() == [
                        "detail loaded", "root will disappear", "detail will appear", "root did disappear",
                        "detail is appearing", "detail did appear",
                    ])
                #expect(navigation.popViewController(animated: true) === detail)
                #expect(navigation.popViewController(animated: true) == nil)
                #expect(navigation.viewControllers.count == 1)
                #expect(
                    journal.take() == [
                        "detail will disappear", "root will appear", "detail did disappear", "root is appearing",
                        "root did appear",
                    ])
            }
        }

        @Test("an animation changes at once, and completes after its time on the device")
        func animation() throws {
            try run { device, journal, root in
                _ = journal.take()
                UIView.animate(withDuration: 2, delay: 1) {
                    root.view.alpha = 0.25
                } completion: { finished in
                    journal.lines.append("finished \(finished)")
                }
                #expect(root.view.alpha == 0.25)
                device.advance(by: .milliseconds(2_999))
                #expect(journal.take().isEmpty)
                device.advance(by: .milliseconds(1))
                #expect(journal.take() == ["finished true"])
                UIView.animate(withDuration: 1, delay: 0, options: .repeat, animations: {}) { _ in
                    journal.lines.append("over")
                }
                device.advance(by: .seconds(60))
                #expect(journal.take().isEmpty)
            }
        }

        @Test("the user taps buttons and choices that are shown and enabled, while the app is in front")
        func taps() throws {
            try run { device, journal, root in
                _ = journal.take()
                let button = UIButton(primaryAction: UIAction(title: "Start") { _ in journal.lines.append("started") })
                root.view.addSubview(button)
                try SimulatedPhone.tap("Start", on: device)
                button.isHidden = true
                #expect(throws: ScreenError.self) { try SimulatedPhone.tap("Start", on: device) }
                button.isHidden = false
                button.isEnabled = false
                #expect(throws: ScreenError.self) { try SimulatedPhone.tap("Start", on: device) }
                button.isEnabled = true
                let alert = UIAlertController(title: "Sure?", message: nil, preferredStyle: .alert)
                alert.addAction(
                    UIAlertAction(title: "Yes", style: .destructive) { _ in
                        journal.lines.append("yes, \(root.presentedViewController == nil)")
                    })
                alert.addAction(UIAlertAction(title: "No", style: .cancel))
                root.present(alert, animated: true)
                // The alert is in front of the button.
                #expect(throws: ScreenError.self) { try SimulatedPhone.tap("Start", on: device) }
                try SimulatedPhone.tap("Yes", on: device)
                #expect(journal.take() == ["started", "yes, true"])
                device.pressHome()
                #expect(throws: ScreenError.self) { try SimulatedPhone.tap("Start", on: device) }
            }
        }

        @Test("a control has one action for each identifier, and performs those for the event")
        func actions() throws {
            try run { _, journal, _ in
                _ = journal.take()
                let toggle = UISwitch()
                let name = UIAction.Identifier("change")
                toggle.addAction(UIAction(identifier: name) { _ in journal.lines.append("first") }, for: .valueChanged)
                toggle.addAction(UIAction(identifier: name) { _ in journal.lines.append("second") }, for: .valueChanged)
                toggle.addAction(UIAction { _ in journal.lines.append("touched") }, for: .touchDown)
                toggle.isOn = true
                #expect(journal.take().isEmpty)
                toggle.sendActions(for: .valueChanged)
                #expect(journal.take() == ["second"])
                toggle.removeAction(identifiedBy: name, for: .allEvents)
                toggle.sendActions(for: [.valueChanged, .touchDown])
                #expect(journal.take() == ["touched"])
            }
        }

        @Test("a table asks its data source, and a tap on a row reaches the delegate, a selection in code does not")
        func table() throws {
            try run { device, _, root in
                let source = Rows()
                let table = UITableView(frame: root.view.bounds)
                table.register(UITableViewCell.self, forCellReuseIdentifier: "cell")
                table.dataSource = source
                table.delegate = source
                root.view.addSubview(table)
                #expect(table.numberOfRows(inSection: 0) == 3)
                #expect(table.indexPathsForVisibleRows == (0..<3).map { IndexPath(row: $0, section: 0) })
                let second = IndexPath(row: 1, section: 0)
                #expect(table.cellForRow(at: second)?.textLabel?.text == "two")
                table.selectRow(at: second, animated: false, scrollPosition: .none)
                #expect(source.taps.isEmpty)
                try SimulatedPhone.tapRow(at: second, on: device)
                #expect(throws: ScreenError.self) {
                    try SimulatedPhone.tapRow(at: IndexPath(row: 3, section: 0), on: device)
                }
                #expect(source.taps == [1])
                source.rows.remove(at: 0)
                table.deleteRows(at: [IndexPath(row: 0, section: 0)], with: .automatic)
                #expect(table.cellForRow(at: IndexPath(row: 0, section: 0))?.textLabel?.text == "two")
            }
        }

        @Test("a date picker holds its date between the bounds, and counts down whole choices below a day")
        func datePicker() throws {
            try run { _, _, _ in
                let picker = UIDatePicker()
                let date = Date(timeIntervalSince1970: 1_000_000)
                picker.minimumDate = date
                picker.date = date.addingTimeInterval(-60)
                #expect(picker.date == date)
                picker.countDownDuration = 120
                #expect(picker.countDownDuration == 0)
                picker.datePickerMode = .countDownTimer
                picker.countDownDuration = 200
                #expect(picker.countDownDuration == 180)
                picker.minuteInterval = 7
                #expect(picker.minuteInterval == 1)
                picker.countDownDuration = 100_000
                #expect(picker.countDownDuration == 86_340)
            }
        }

        @Test("a frame is a center and bounds; a view is in one superview, and colors are equal by their parts")
        func views() throws {
            try run { _, _, root in
                let view = UIView(frame: CGRect(x: 10, y: 20, width: 30, height: 40))
                #expect(view.center == CGPoint(x: 25, y: 40))
                view.center.x += 5
                #expect(view.frame == CGRect(x: 15, y: 20, width: 30, height: 40))
                root.view.addSubview(view)
                let other = UIView()
                other.addSubview(view)
                #expect(root.view.subviews.isEmpty)
                #expect(view.superview === other)
                view.backgroundColor = .red
                #expect(view.backgroundColor == UIColor(red: 1, green: 0, blue: 0, alpha: 1))
                view.transform = CGAffineTransform(scaleX: 2, y: 2).rotated(by: .pi)
                #expect(abs(view.transform.a + 2) < 1e-9)
            }
        }

        struct KitchenTimer {
            let name: String
            let makeApp: @MainActor () -> any UIApplicationDelegate
            let shown: @MainActor (UIViewController?) -> String?
        }

        nonisolated static let kitchenTimers = [
            KitchenTimer(
                name: "Swift 5", makeApp: { SampleAppsSwift5.KitchenTimerAppDelegate() },
                shown: { ($0 as? SampleAppsSwift5.KitchenTimerViewController)?.shownTime }),
            KitchenTimer(
                name: "Swift 6", makeApp: { SampleAppsSwift6.KitchenTimerAppDelegate() },
                shown: { ($0 as? SampleAppsSwift6.KitchenTimerViewController)?.shownTime }),
        ]

        @Test("a tutorial's countdown runs on the phone, and is right after a time at home", arguments: kitchenTimers)
        func kitchenTimer(_ timer: KitchenTimer) throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, delegate: timer.makeApp())
                device.launch()
                let root = UIApplication.shared.keyWindow?.rootViewController as? UINavigationController
                let screen = { timer.shown(root?.topViewController) }
                #expect(screen() == "--:--")
                try SimulatedPhone.tap("Start", on: device)
                device.advance(by: .milliseconds(10_500))
                #expect(screen() == "00:50")
                device.pressHome()
                device.advance(by: .seconds(30))
                device.open()
                device.advance(by: .milliseconds(200))
                #expect(screen() == "00:20")
                device.advance(by: .seconds(20))
                #expect(screen() == "00:00")
                try SimulatedPhone.tap("OK", on: device)
                #expect(screen() == "--:--")
            }
        }
    }
}
