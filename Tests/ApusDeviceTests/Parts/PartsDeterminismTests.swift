import ApusBackground
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@testable import ApusDevice

@MainActor
@Suite("Determinism of a simulated phone's parts")
struct PartsDeterminismTests {
    @Test("the same seed gives the same log, line by line", arguments: [1, 2, 3] as [UInt64])
    func sameLog(seed: UInt64) throws {
        let log = try Self.run(seed: seed)
        #expect(log.count > 100)
        #expect(try Self.run(seed: seed) == log)
        #expect(try Self.run(seed: seed + 100) != log)
    }

    /// Runs three parts of one phone with a random user, app and environment, and returns the log.
    private static func run(seed: UInt64) throws -> [String] {
        let random = SeededRandom(seed: seed)
        func pick(_ count: UInt64) -> Int { Int(random.next() % count) }
        let device = PartsHarness()
        let center = device.center(overflow: pick(2) == 0 ? .keepsLast : .keepsSoonest)
        let audio = SimulatedAudio(device.surroundings, isModeDeclared: true)
        let location = SimulatedLocation(device.surroundings, authorization: .always, isModeDeclared: true)
        let updates = Log<String>()
        location.setRoute(
            .moving(from: .init(latitude: 1, longitude: 1), north: 0.001, east: 0.001, every: .seconds(30)))
        let items = (0..<9).map { AudioItem(id: "\($0)", title: "", source: "") }
        for _ in 0..<150 {
            switch pick(14) {
            case 0...4:
                // Only nine intervals are possible, so that many requests are due at the same instant.
                for _ in 0..<9 {
                    center.add(
                        NotificationRequest(
                            "n\(pick(200))", .after(.seconds(60 * (1 + pick(9))), repeats: pick(2) == 0)))
                }
            case 5: try device.run { await audio.setQueue(items) }
            case 6: _ = try? device.run { try await audio.play() }
            case 7: audio.beginInterruption()
            case 8: audio.endInterruption(shouldResume: pick(2) == 0)
            case 9: location.startUpdating(LocationSettings(inBackground: true)) { updates.add("\($0)") }
            case 10: location.setAuthorization(pick(2) == 0 ? .always : .denied)
            case 11: device.time.moveWallClock(by: .seconds(pick(600) - 300))
            case 12:
                audio.appSuspended()
                location.appSuspended()
                device.time.advance(by: .seconds(pick(900)))
                audio.appResumed()
                location.appResumed()
            default: device.time.advance(by: .seconds(pick(300)))
            }
            device.mainLoop.drain()
        }
        return device.log + updates.all + device.keptAwake.map { "\($0)" }
    }
}
