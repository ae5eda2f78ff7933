#if os(Linux)
    import ApusDevice
    import ApusTestTraits
    import SimulatedAppleCore
    import Testing
    import UIKit

    private final class AlarmController: UIViewController {
        override func viewDidLoad() {
            super.viewDidLoad()
            let time = UIDatePicker()
            time.accessibilityIdentifier = "time"
            time.maximumDate = Date(timeIntervalSince1970: 1_767_300_000)
            time.addAction(
                UIAction { [unowned time] _ in
                    SimulatedPhone.note("time \(Int(time.date.timeIntervalSince1970))")
                }, for: .valueChanged)
            let snooze = UIDatePicker()
            snooze.datePickerMode = .countDownTimer
            snooze.accessibilityIdentifier = "snooze"
            snooze.addAction(
                UIAction { [unowned snooze] _ in SimulatedPhone.note("snooze \(snooze.countDownDuration)") },
                for: .valueChanged)
            for picker in [time, snooze] { view.addSubview(picker) }
        }
    }

    private final class AlarmDelegate: UIResponder, UIApplicationDelegate {
        var window: UIWindow?

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            window = UIWindow(frame: UIScreen.main.bounds)
            window?.rootViewController = AlarmController()
            window?.makeKeyAndVisible()
            return true
        }
    }

    @MainActor
    @Suite("Pickers that the user turns", .simulatedPhone())
    struct PickerTests {
        private func turn(on device: SimulatedDevice) throws {
            device.launch()
            try SimulatedPhone.turnPicker("time", to: Date(timeIntervalSince1970: 1_767_261_600), on: device)
            try SimulatedPhone.turnPicker("time", to: Date(timeIntervalSince1970: 1_800_000_000), on: device)
            try SimulatedPhone.turnPicker(to: .seconds(540), on: device)
            #expect(device.notes == ["time 1767261600", "time 1767300000", "snooze 540.0"])
            let error = #expect(throws: ScreenError.self) {
                try SimulatedPhone.turnPicker("time", to: .seconds(540), on: device)
            }
            let text = "there is no enabled picker “time” with that choice on the screen"
            #expect(error?.description.hasPrefix(text) == true)
            #expect(throws: ScreenError.self) {
                try SimulatedPhone.turnPicker("noon", to: Date(timeIntervalSince1970: 0), on: device)
            }
        }

        @Test("a test turns a picker of an app in its own process")
        func ownProcess() throws {
            let device = try #require(SimulatedDevice.current)
            SimulatedPhone.install(on: device, program: { SimulatedPhone.run(AlarmDelegate()) })
            try turn(on: device)
        }

        @Test("a test turns a picker of an app in the test's process")
        func testsProcess() throws {
            let device = try #require(SimulatedDevice.current)
            SimulatedPhone.install(on: device, delegate: AlarmDelegate())
            try turn(on: device)
        }
    }
#endif
