import ApusTesting
import SimulatedPhone
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

/// XCTest, because it runs synchronous tests on the program's first thread, and Swift Testing does not.
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
}

extension SimulatedAppleTests {
    @Suite("Without a phone")
    struct WithoutPhone {
        @Test("a shared object stops the program with a message")
        func noPhone() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                await MainActor.run { _ = UIApplication.shared }
            }
            let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(message.contains("call SimulatedPhone.install(on:"))
        }
    }
}
