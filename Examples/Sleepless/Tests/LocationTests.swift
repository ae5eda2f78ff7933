import ApusBackground
import ApusTesting
import SleeplessApp
import Testing

@MainActor
@Suite("The screen Location")
struct LocationTests {
    private func walk(_ device: SimulatedDevice) {
        device.location.setRoute(
            .moving(from: .init(latitude: 52.5, longitude: 13.4), north: 0.00001, east: 0))
    }

    @Test("pins are dropped in front and, if wished, in the background")
    func background() throws {
        try SimulatedDevice.withSleepless { device in
            walk(device)
            let location = try device.locationModel
            try location.authorize(.whenInUse)
            device.advance(seconds: 0)
            #expect(try device.shownLocation.authorization == "whenInUse")
            try location.start(inBackground: true)
            device.advance(seconds: 10)
            #expect(try device.shownLocation.hasFix)
            let inFront = try device.shownLocation.pins.count
            #expect(inFront >= 10)
            device.pressHome()
            device.advance(seconds: 60)
            #expect(device.appPhase == .background)
            let pins = try device.shownLocation.pins
            #expect(pins.filter(\.inBackground).count >= 59)
            location.stop()
            device.advance(seconds: 10)
            #expect(device.appPhase == .suspended)
            device.open()
            #expect(try !device.shownLocation.isUpdating)
        }
    }

    @Test("without leave there are no updates, and the screen says why")
    func refused() throws {
        try SimulatedDevice.withSleepless { device in
            device.location.userAnswer = .denied
            let location = try device.locationModel
            try location.authorize(.always)
            device.advance(seconds: 0)
            let error = #expect(throws: AppError.self) { try location.start(inBackground: false) }
            #expect(error?.code == .unavailable)
            #expect(try device.shownLocation.error == error?.message)
            #expect(throws: AppError.self) { try location.authorize(.denied) }
        }
    }

    @Test("the last 300 pins are kept, and can be cleared; a tunnel has no fix")
    func bounded() throws {
        try SimulatedDevice.withSleepless { device in
            walk(device)
            let location = try device.locationModel
            try location.authorize(.always)
            device.advance(seconds: 0)
            try location.start(inBackground: false)
            device.advance(seconds: 400)
            #expect(try device.shownLocation.pins.count == 300)
            #expect(try device.shownLocation.pins.last?.at == "2026-01-01T00:06:40.000Z")
            device.location.setRoute(.noFix)
            device.advance(seconds: 1)
            #expect(try !device.shownLocation.hasFix)
            location.clear()
            #expect(try device.shownLocation.pins.isEmpty)
        }
    }
}
