import ApusApple
import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import SimulatedAppleCore
import Testing
import UIKit

extension ApusAppleTests {
    @MainActor
    @Suite("AppleLocationSource")
    struct Location {
        private func run(
            declared: Bool = true, _ authorization: LocationAuthorization = .whenInUse,
            _ body: (SimulatedDevice, AppleLocationSource, Journal) throws -> Void
        ) throws {
            try SimulatedDevice.run { device in
                device.location.setRoute(
                    .moving(
                        from: LocationRoute.Place(latitude: 50, longitude: 8), north: 0.001, east: 0,
                        every: .seconds(10)))
                if authorization != .notDetermined { device.location.setAuthorization(authorization) }
                device.launchPort(AppManifest(backgroundModes: declared ? [.location] : [])) {
                    AppleLocationSource(host: $0)
                }
                try body(device, device.built(), Journal(device))
            }
        }

        /// Starts location updates and records them.
        private func start(
            _ source: AppleLocationSource, inBackground: Bool, _ device: SimulatedDevice, _ journal: Journal
        ) throws {
            let updates = try source.updates(inBackground: inBackground)
            try device.port.start {
                for await update in updates {
                    switch update {
                    case .position(let position): journal.note("\((position.latitude * 1_000).rounded() / 1_000)")
                    case .noFix: journal.note("no fix")
                    case .authorization(let authorization): journal.note("\(authorization)")
                    }
                }
                journal.note("over")
            }
            device.advance(by: .zero)
        }

        private func code(_ work: () throws(BackgroundError) -> Void) -> BackgroundError.Code? {
            do {
                try work()
                return nil
            } catch {
                return error.code
            }
        }

        @Test(
            "location updates started in the foreground keep the app running in the background until they are stopped")
        func background() throws {
            try run { device, source, journal in
                try start(source, inBackground: true, device, journal)
                device.pressHome()
                device.advance(by: .seconds(100))
                #expect(device.host?.phase == .background)
                #expect(journal.all.count == 11)
                #expect(journal.all.first == "0 50.0" && journal.all.last == "100 50.1")
                source.stop()
                device.advance(by: .seconds(5))
                #expect(journal.all.last == "100 over")
                #expect(device.host?.phase == .suspended)
            }
        }

        @Test("a position has the device's instant")
        func instants() throws {
            try run { device, source, _ in
                let updates = try source.updates(inBackground: false)
                let update = try device.perform { await updates.first { _ in true } }
                guard case .position(let position) = update else {
                    Issue.record("\(String(describing: update))")
                    return
                }
                #expect(position.accuracy == 5)
                #expect(abs(position.instant.duration(to: device.time.wall()) / .seconds(1)) < 1.5)
            }
        }

        @Test("without `inBackground` the app is suspended, and gets the missed updates when it runs again")
        func foreground() throws {
            try run(declared: false) { device, source, journal in
                try start(source, inBackground: false, device, journal)
                device.pressHome()
                device.advance(by: .seconds(100))
                #expect(device.host?.phase == .suspended)
                #expect(journal.all.count <= 2)
                device.open()
                device.advance(by: .seconds(1))
                #expect(journal.all.count >= 10)
            }
        }

        @Test("`inBackground` without the declared mode is an error, although a phone terminates the app")
        func undeclared() throws {
            try run(declared: false) { device, source, _ in
                #expect(
                    code { () throws(BackgroundError) in _ = try source.updates(inBackground: true) }
                        == .modeUnavailable)
                #expect(device.faults.isEmpty)
                #expect(code { () throws(BackgroundError) in _ = try source.updates(inBackground: false) } == nil)
            }
        }

        @Test("location updates without permission are an error, and so is a start in the background with `whenInUse`")
        func permission() throws {
            for authorization in [LocationAuthorization.notDetermined, .denied] {
                try run(authorization) { _, source, _ in
                    #expect(source.authorization == authorization)
                    #expect(
                        code { () throws(BackgroundError) in _ = try source.updates(inBackground: false) }
                            == .modeUnavailable)
                }
            }
            for (authorization, expected) in [
                (LocationAuthorization.whenInUse, BackgroundError.Code.modeUnavailable), (.always, nil),
            ] {
                try run(authorization) { device, source, _ in
                    device.pressHome()
                    #expect(
                        code { () throws(BackgroundError) in _ = try source.updates(inBackground: true) } == expected)
                }
            }
        }

        @Test(
            "the user is asked for permission once and the answer is reported; a question that is not shown ends soon")
        func asking() throws {
            try run(.notDetermined) { device, source, journal in
                device.location.userAnswer = .whenInUse
                try device.port.start { [source] in
                    journal.note("\(await source.requestAuthorization(.whenInUse))")
                    journal.note("\(await source.requestAuthorization(.whenInUse))")
                    journal.note("\(await source.requestAuthorization(.always))")
                }
                device.advance(by: .seconds(10))
                // The user does not allow `always`, and the system does not report that.
                #expect(journal.all == ["0 whenInUse", "0 whenInUse", "2 whenInUse"])
                #expect(source.authorization == .whenInUse)
            }
        }

        @Test("the user's changes arrive in the sequence, and another start ends the earlier sequence")
        func changes() throws {
            try run { device, source, journal in
                try start(source, inBackground: false, device, journal)
                device.location.setRoute(.noFix)
                device.advance(by: .seconds(1))
                device.location.setAuthorization(.denied)
                device.advance(by: .seconds(1))
                #expect(journal.take() == ["0 50.0", "0 no fix", "1 denied"])
                #expect(source.authorization == .denied)
                device.location.setAuthorization(.always)
                device.advance(by: .seconds(1))
                #expect(source.authorization == .always)
                _ = journal.take()
                try start(source, inBackground: false, device, journal)
                #expect(journal.all.first == "3 over")
            }
        }

        @Test("releasing the sequence ends the location updates")
        func drop() throws {
            try run { device, source, _ in
                let updates = try source.updates(inBackground: true)
                _ = try device.perform { await updates.first { _ in true } }
                device.pressHome()
                device.advance(by: .seconds(60))
                #expect(device.host?.phase == .background)
                do { withExtendedLifetime(updates) {} }
            }
            try run { device, source, _ in
                do { _ = try source.updates(inBackground: true) }
                device.advance(by: .seconds(1))
                device.pressHome()
                device.advance(by: .seconds(60))
                #expect(device.host?.phase == .suspended)
            }
        }
    }
}
