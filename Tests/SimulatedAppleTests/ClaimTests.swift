import ApusBackground
import ApusDevice
import ApusTimers
import SimulatedAppleCore
import Testing
import UIKit

private final class PlainDelegate: UIResponder, UIApplicationDelegate {}

@MainActor
private final class Upload {
    var task = UIBackgroundTaskIdentifier.invalid
}

@MainActor
private final class Box<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
}

/// A protocol that lets apps replace the application in their tests.
private protocol ClaimGiver {
    func beginBackgroundTask(expirationHandler: (@MainActor @Sendable () -> Void)?) -> UIBackgroundTaskIdentifier
    func beginBackgroundTask(
        withName taskName: String?, expirationHandler: (@MainActor @Sendable () -> Void)?
    ) -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
}

extension UIApplication: ClaimGiver {}

extension SimulatedAppleTests {
    @MainActor
    @Suite("beginBackgroundTask")
    struct Claims {
        private func run(
            _ policy: SystemPolicy = SystemPolicy(), _ body: (SimulatedDevice) throws -> Void
        ) throws {
            try SimulatedDevice.run(policy: policy) { device in
                SimulatedPhone.install(on: device, delegate: PlainDelegate())
                device.launch()
                try body(device)
            }
        }

        @Test(
            "the remaining time is the greatest number in the foreground, and counts down from 30 s in the background")
        func remaining() throws {
            try run { device in
                let application = UIApplication.shared
                #expect(application.backgroundTimeRemaining == .greatestFiniteMagnitude)
                let task = application.beginBackgroundTask { Issue.record("it is ended before") }
                #expect(task != .invalid)
                device.advance(by: .seconds(60))
                device.pressHome()
                #expect(application.backgroundTimeRemaining == 30)
                device.advance(by: .milliseconds(12_500))
                #expect(application.backgroundTimeRemaining == 17.5)
                application.endBackgroundTask(task)
            }
        }

        /// Apple, documentation/uikit/uiapplication/beginbackgroundtask(withname:expirationhandler:): if there is no
        /// name, the system makes one from the name of the calling function.
        @Test("a background task without a name is named after the app's module and the calling function")
        func generatedName() throws {
            try run { device in
                let application = UIApplication.shared
                for _ in 1...2 { application.endBackgroundTask(application.beginBackgroundTask {}) }
                application.endBackgroundTask(application.beginBackgroundTask(withName: nil))
                let lines = device.logText.split(separator: "\n").filter { $0.contains("background task began") }
                #expect(lines.count == 3)
                #expect(lines.allSatisfy { $0.contains("Called by SimulatedAppleTests, from generatedName()") })
            }
        }

        @Test("an app can declare a protocol of its own for the methods of UIApplication")
        func ownProtocol() throws {
            try run { device in
                let claims: any ClaimGiver = UIApplication.shared
                claims.endBackgroundTask(claims.beginBackgroundTask(withName: nil, expirationHandler: nil))
                claims.endBackgroundTask(claims.beginBackgroundTask(expirationHandler: nil))
                #expect(device.logText.contains("Called by the app, from a protocol"))
            }
        }

        @Test(
            "an expiration handler is called on the main thread about four seconds before the end, and may end the task"
        )
        func expiry() throws {
            try run { device in
                let application = UIApplication.shared
                let upload = Upload()
                let journal = Journal()
                upload.task = application.beginBackgroundTask(withName: "upload") { [weak application] in
                    journal.lines.append("\(MainThread.isCurrent) \(application?.backgroundTimeRemaining ?? 0)")
                    application?.endBackgroundTask(upload.task)
                }
                device.pressHome()
                device.advance(by: .seconds(60))
                #expect(journal.lines == ["true 4.0"])
                #expect(device.host?.phase == .suspended)
            }
        }

        @Test("a background task that is not ended in its handler ends the app, with a fault that names it")
        func leaked() throws {
            try run { device in
                device.expect(.backgroundTaskNotEnded)
                UIApplication.shared.beginBackgroundTask(withName: "leaky")
                device.pressHome()
                device.advance(by: .seconds(60))
                #expect(device.app == nil)
                #expect(device.faults.contains { $0.message.contains("leaky") })
            }
        }

        @Test("ending a background task twice is a warning, as on a phone")
        func twice() throws {
            try run { device in
                let task = UIApplication.shared.beginBackgroundTask(withName: "once")
                UIApplication.shared.endBackgroundTask(task)
                #expect(device.warnings.isEmpty)
                UIApplication.shared.endBackgroundTask(task)
                #expect(device.warnings == ["there is no open background task 1 to end"])
            }
        }

        @Test("a phone that grants no background task returns .invalid")
        func invalid() throws {
            var policy = SystemPolicy()
            policy.givesInvalidBackgroundTasks = true
            try run(policy) { _ in
                #expect(UIApplication.shared.beginBackgroundTask() == .invalid)
            }
        }

        @Test("background tasks may be begun and ended on other threads")
        func threads() throws {
            try run { device in
                let application = UIApplication.shared
                let queue = DispatchQueue(label: "other")
                let task = queue.sync { application.beginBackgroundTask(withName: "elsewhere") }
                device.pressHome()
                device.advance(by: .seconds(10))
                #expect(device.host?.phase == .background)
                queue.sync { application.endBackgroundTask(task) }
                device.advance(by: .seconds(10))
                #expect(device.host?.phase == .suspended)
            }
        }

        @Test("an identifier of the process before, or of another phone, ends no background task of this one")
        func stale() throws {
            let foreign = Box(UIBackgroundTaskIdentifier.invalid)
            try run { _ in foreign.value = UIApplication.shared.beginBackgroundTask(withName: "foreign") }
            try run { device in
                let stale = UIApplication.shared.beginBackgroundTask(withName: "old")
                device.kill()
                device.launch()
                let new = UIApplication.shared.beginBackgroundTask(withName: "new")
                UIApplication.shared.endBackgroundTask(stale)
                UIApplication.shared.endBackgroundTask(foreign.value)
                #expect(Set([stale, foreign.value, new]).count == 3)
                #expect(!device.has(.backgroundTaskEnded("new")))
                #expect(
                    device.warnings == [
                        "background task 1 was begun by an earlier process of the app, so it is not ended here",
                        "background task 1 was begun on another device, so it is not ended here",
                    ])
                UIApplication.shared.endBackgroundTask(new)
                #expect(device.has(.backgroundTaskEnded("new")))
            }
        }

        @Test("calls of an ended process have no effect")
        func dead() throws {
            try run { device in
                let application = UIApplication.shared
                device.kill()
                let task = application.beginBackgroundTask(withName: "too late")
                application.endBackgroundTask(task)
                #expect(task == .invalid)
                #expect(!device.has(.backgroundTaskBegan("too late")))
                #expect(
                    device.warnings == [
                        "process 1 has ended, so its call beginBackgroundTask(“too late”) has no effect",
                        "process 1 has ended, so its call endBackgroundTask(invalid) has no effect",
                    ])
            }
        }
    }
}
