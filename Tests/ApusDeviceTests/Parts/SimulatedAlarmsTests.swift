import ApusBackground
import ApusTimers
import Foundation
import Testing

@testable import ApusDevice

@MainActor
@Suite("Alarms and Live Activities on the device")
struct SimulatedAlarmsTests {
    private func steps(_ device: SimulatedDevice) -> [DeviceStep] {
        (device.alarms.steps(on: device) + device.activities.steps(on: device)).compactMap { $0.make(device.random) }
    }

    @Test("a random user stops and snoozes an alert, and removes a Live Activity, while there is one")
    func steps() throws {
        try SimulatedDevice.run { device in
            device.alarms.setAuthorization(.authorized)
            let host = try device.launchProbe()
            #expect(steps(device).isEmpty)
            let alarm = AlarmRequest(
                id: "1", title: "Tea", schedule: nil, preAlert: .seconds(60), postAlert: .seconds(60), isSnoozable: true
            )
            _ = host.ask(SimulatedAlarms.self, .schedule(alarm))
            let ride = ActivityRequest(kind: "Ride", attributes: Data(), content: Data(), staleInstant: nil)
            _ = host.ask(SimulatedActivities.self, .begin(ride))
            device.advance(by: .seconds(60))
            let choices = steps(device)
            try #require(choices.count == 3)
            choices[1].perform(on: device)
            #expect(device.alarms.all.map(\.state) == [.countdown])
            device.advance(by: .seconds(60))
            choices[0].perform(on: device)
            #expect(device.alarms.all.isEmpty)
            choices[2].perform(on: device)
            #expect(device.activities.shown.isEmpty && device.activities.all.map(\.state) == [.dismissed])
            #expect(steps(device).isEmpty)
        }
    }
}
