import Foundation
import Testing

@testable import ApusDevice

@Suite("The time of App Intents")
struct IntentMachineTests {
    /// A class, because an expectation cannot call a function of a property.
    private final class Phone {
        var machine = IntentMachine(IntentMachine.Limits(SystemPolicy.Intents()))
    }

    private let phone = Phone()

    private static func request(isCancellable: Bool = false) -> IntentRequest {
        IntentRequest(title: "Work", entry: 0, code: Data(), isCancellable: isCancellable)
    }

    private static func seconds(_ seconds: UInt64) -> UInt64 { seconds * 1_000_000_000 }

    /// Adds an intent that is performed from the instant 0.
    private func perform(isCancellable: Bool = false) -> Int {
        let id = phone.machine.add(Self.request(isCancellable: isCancellable), from: .siri, needsForeground: false)
        #expect(phone.machine.handOver(isActive: false, now: 0) == [id])
        return id
    }

    @Test("an intent that needs the foreground waits for it, without a limit")
    func foreground() {
        let id = phone.machine.add(Self.request(), from: .siri, needsForeground: true)
        #expect(
            phone.machine.handOver(isActive: false, now: 5).isEmpty && phone.machine.lastEnd == nil
                && !phone.machine.isIdle)
        #expect(phone.machine.handOver(isActive: true, now: 5) == [id] && phone.machine.nextEnd == 5 + Self.seconds(30))
        #expect(phone.machine.handOver(isActive: true, now: 5).isEmpty)
    }

    @Test("the time of a cancelled intent depends on whether it asks for time to clean up", arguments: [true, false])
    func cancelled(isCancellable: Bool) {
        let id = perform(isCancellable: isCancellable)
        let left = Self.seconds(isCancellable ? 5 : 1)
        #expect(phone.machine.expire(now: Self.seconds(30) - 1).isEmpty)
        #expect(phone.machine.expire(now: Self.seconds(30)) == [.cancel(id, left: left)])
        #expect(phone.machine.latest == nil && phone.machine.expire(now: Self.seconds(30) + left - 1).isEmpty)
        #expect(phone.machine.expire(now: Self.seconds(30) + left) == [.giveUp(id)])
        #expect(phone.machine.isIdle && phone.machine.all.map(\.state) == [.timedOut])
        #expect(phone.machine.end(id, with: .failed("late")) == false)
    }

    @Test("a cancelled intent that returns has no result")
    func lateResult() {
        let id = perform()
        #expect(phone.machine.cancel(id, now: 0) == Self.seconds(1))
        #expect(phone.machine.end(id, with: .finished(value: "1", dialog: nil, next: nil)) == true)
        #expect(
            phone.machine.isIdle && phone.machine.all.map(\.state) == [.userCancelled]
                && phone.machine.all[0].value == nil)
    }

    @Test("an intent that is cancelled before it is performed is over")
    func cancelledEarly() {
        let id = phone.machine.add(Self.request(), from: .siri, needsForeground: true)
        #expect(
            phone.machine.cancel(id, now: 0) == nil && phone.machine.isIdle
                && phone.machine.all.map(\.state) == [.userCancelled])
    }

    @Test("new progress gives long work more time; the same progress, and progress of an ordinary intent, does not")
    func progress() {
        let id = perform()
        phone.machine.report(0.1, of: id, now: Self.seconds(10))
        #expect(phone.machine.nextEnd == Self.seconds(30))
        #expect(phone.machine.beginLongTask(id, now: Self.seconds(20)) && phone.machine.nextEnd == Self.seconds(50))
        phone.machine.report(0.1, of: id, now: Self.seconds(30))
        #expect(phone.machine.nextEnd == Self.seconds(50))
        phone.machine.report(0.2, of: id, now: Self.seconds(40))
        #expect(phone.machine.nextEnd == Self.seconds(70) && phone.machine.all[0].fractionCompleted == 0.2)
        phone.machine.endLongTask(id)
        phone.machine.report(0.3, of: id, now: Self.seconds(61))
        #expect(phone.machine.beginLongTask(id, now: Self.seconds(62)) && phone.machine.nextEnd == Self.seconds(70))
    }

    @Test("nested long work ends with the outermost, and a cancelled intent begins none")
    func nested() {
        let id = perform()
        #expect(phone.machine.beginLongTask(id, now: 0) && phone.machine.beginLongTask(id, now: 0))
        phone.machine.endLongTask(id)
        phone.machine.report(0.5, of: id, now: Self.seconds(20))
        #expect(phone.machine.nextEnd == Self.seconds(50))
        _ = phone.machine.cancel(id, now: Self.seconds(20))
        #expect(phone.machine.beginLongTask(id, now: Self.seconds(20)) == false)
        phone.machine.report(0.6, of: id, now: Self.seconds(20))
        #expect(phone.machine.nextEnd == Self.seconds(21))
    }

    @Test(
        "an intent that waits for the foreground needs no process; one that was given up is in the middle of its work")
    func needsProcess() {
        let waiting = phone.machine.add(Self.request(), from: .siri, needsForeground: true)
        #expect(!phone.machine.needsProcess && phone.machine.handOver(isActive: false, now: 0).isEmpty)
        let ids = [perform(), perform()]
        #expect(phone.machine.needsProcess && phone.machine.lastEnd == Self.seconds(30))
        _ = phone.machine.expire(now: Self.seconds(30))
        #expect(phone.machine.expire(now: Self.seconds(40)) == ids.map { .giveUp($0) })
        #expect(phone.machine.end(ids[0], with: .failed("late")) == false)
        #expect(phone.machine.appSuspended() == [ids[1]] && phone.machine.appSuspended().isEmpty)
        #expect(phone.machine.cancel(waiting, now: 0) == nil && phone.machine.isIdle)
    }

    @Test("the end of the process ends all intents, of which those that were cancelled keep their state")
    func processEnded() {
        let ids = [perform(), perform(), perform()]
        _ = phone.machine.end(ids[0], with: .failed("no"))
        _ = phone.machine.cancel(ids[1], now: 0)
        phone.machine.processEnded()
        #expect(
            phone.machine.isIdle && phone.machine.all.map(\.state) == [.failed("no"), .userCancelled, .processEnded])
    }

    @MainActor
    @Test("a random user cancels an intent while one runs")
    func steps() throws {
        try SimulatedDevice.run { device in
            _ = try device.launchProbe()
            #expect(device.intents.steps(on: device).isEmpty)
            device.performIntent(Self.request(), from: .siri)
            let step = try #require(device.intents.steps(on: device).first?.make(device.random))
            step.perform(on: device)
            #expect(device.intents.all.map(\.state) == [.userCancelled])
            #expect(device.intents.steps(on: device).isEmpty)
            device.cancelIntent()
            #expect(device.warnings.last == "no intent runs")
        }
    }
}
