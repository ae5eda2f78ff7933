import ApusBackground
public import ApusDevice
import ApusTimers
import ApusVirtualTime

/// The result of using ``SampleApp`` for some days.
public struct SampleMonth: Sendable {
    /// The device's log.
    public let log: [DeviceEvent]
    /// The log as text, with one line for each event.
    public let logText: String
    /// The counts of the app.
    public let counts: [SampleApp.Count: Int]

    /// Runs the app on a device whose user opens it twice a day, at times that the seed decides.
    ///
    /// The user starts a countdown in the morning, and the phone sleeps on its charger at night. Each week the app is
    /// purged from memory. Once it is force-quit, and once the phone is restarted.
    ///
    /// - Throws: `DeviceError` if the app broke a rule.
    @MainActor
    public static func run(seed: UInt64, days: Int = 30) throws -> SampleMonth {
        try SimulatedDevice.run(seed: seed) { device in
            let random = SeededRandom(seed: ~seed)
            device.install { host in SampleApp(host: host, random: random) }
            let start = device.time.wall()
            for day in 0..<days {
                try spend(day, from: start.advanced(by: .seconds(day * 86_400)), random, on: device)
            }
            return SampleMonth(
                log: device.log, logText: device.logText,
                counts: Dictionary(
                    uniqueKeysWithValues: try SampleApp.Count.allCases.map {
                        ($0, try SampleApp.count($0, in: device.storage))
                    }))
        }
    }

    @MainActor
    private static func spend(
        _ day: Int, from midnight: WallInstant, _ random: SeededRandom, on device: SimulatedDevice
    ) throws {
        func wait(untilHour hour: Int64, plus seconds: ClosedRange<UInt64> = 0...0) {
            device.advance(until: midnight.advanced(by: .seconds(hour * 3_600) + random.duration(in: seconds)))
        }
        wait(untilHour: 1)
        device.sleepMachine(for: .seconds(5 * 3_600))
        device.setBattery(1)
        device.unplug()

        wait(untilHour: 7, plus: 0...14_400)
        device.open()
        device.advance(by: random.duration(in: 10...120))
        guard let app = device.app as? SampleApp else {
            preconditionFailure("the user has just opened the app")
        }
        try app.countdown.start(for: random.duration(in: 60...10_800))
        device.scroll(for: .seconds(10))
        device.advance(by: random.duration(in: 10...300))
        device.lock()
        device.advance(by: .seconds(300))
        if day % 7 == 6 { device.applyMemoryPressure() }
        if day == 10 { device.swipeAway() }
        if day == 20 { device.reboot() }

        wait(untilHour: 17, plus: 0...14_400)
        device.setBattery(0.4)
        device.open()
        device.advance(by: random.duration(in: 10...600))
        device.pressHome()
        wait(untilHour: 23)
        device.plugIn()
        device.lock()
        wait(untilHour: 24)
    }
}
