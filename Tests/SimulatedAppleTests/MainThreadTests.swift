import ApusDevice
import SimulatedAppleCore
import Testing
import UIKit
import XCTest

private final class ThreadDelegate: UIResponder, UIApplicationDelegate {
    private let journal: Journal

    init(_ journal: Journal) {
        self.journal = journal
        super.init()
        NotificationCenter.default.addObserver(
            forName: UIApplication.didBecomeActiveNotification, object: nil, queue: .main
        ) { _ in MainActor.assumeIsolated { journal.lines.append("observer \(Thread.isMainThread)") } }
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        journal.lines.append("delegate \(Thread.isMainThread)")
    }
}

@MainActor
private func useShared() { _ = UIApplication.shared }

private final class MainDelegate: UIResponder, UIApplicationDelegate {}

/// Tests the first thread of the program, with XCTest, which runs synchronous tests on that thread; Swift Testing does
/// not.
final class MainThreadTests: XCTestCase {
    func testInXCTestTheMainActorsThreadIsTheFirstOne() throws {
        try MainActor.assumeIsolated {
            try SimulatedDevice.run { device in
                let journal = Journal()
                SimulatedPhone.install(on: device, delegate: ThreadDelegate(journal))
                device.launch()
                XCTAssertEqual(journal.lines, ["delegate true", "observer true"])
            }
        }
    }

    func testFromXCTestAnAppHasAProcessOfItsOwn() throws {
        try MainActor.assumeIsolated {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(
                    on: device,
                    program: {
                        let start = Date()
                        _ = Timer.scheduledTimer(withTimeInterval: 60, repeats: false) { _ in
                            SimulatedPhone.note("\(Thread.isMainThread), after \(Int(-start.timeIntervalSinceNow)) s")
                        }
                    })
                device.launch()
                device.advance(by: .seconds(3_600))
                XCTAssertTrue(device.has(.note("true, after 60 s")))
            }
        }
    }
}

extension SimulatedAppleTests {
    @Suite("Without a phone")
    struct WithoutPhone {
        @Test("a shared object stops the program, and the message says where, and what to write in both forms")
        func noPhone() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                await MainActor.run { useShared() }
            }
            let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(message.contains("Tests/SimulatedAppleTests/MainThreadTests.swift:"))
            #expect(message.contains("SimulatedPhone.install(on: device, delegate: AppDelegate())"))
            #expect(message.contains("device.advance(by: .seconds(60))"))
            #expect(message.contains("await device.runInRealTime(for: .seconds(60))"))
        }

        @Test("an app that is started by @main stops with the same forms")
        func main() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                await MainActor.run { MainDelegate.main() }
            }
            let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(message.contains("MainDelegate runs on a simulated phone only."))
            #expect(message.contains("device.advance(by: .seconds(60))"))
        }
    }
}
