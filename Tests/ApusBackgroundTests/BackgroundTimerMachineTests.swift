import ApusTimers
import Testing

@testable import ApusBackground

/// Tests orders of events that occur when a host answers slowly and on other threads.
@Suite("The machine of background timers")
struct BackgroundTimersMachineTests {
    private typealias Machine = BackgroundTimersMachine<String, String>

    private func describe(_ actions: [Machine.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .arm(let id, _): "arm \(id)"
            case .report(let event): "\(event)".prefix { $0 != "(" }.description
            case .release(let payload): "release \(payload)"
            case .beginTask(let request): "begin \(request.number)"
            case .endTask(let task): "end \(task)"
            case .handOver(_, _, let payload): "hand over \(payload)"
            case .takeBack(_, let payload): "take back \(payload)"
            case .finishEvents: "finish"
            }
        }
    }

    private func request(_ actions: [Machine.Action]) -> Machine.TaskRequest? {
        for case .beginTask(let request) in actions { return request }
        return nil
    }

    private func schedule(
        _ machine: inout Machine, _ id: UInt64, canBeHandedOver: Bool = false, limit: ContinuousInstant? = nil
    ) -> [Machine.Action] {
        machine.schedule(
            BackgroundTimers.ID(number: id), due: ContinuousInstant(nanoseconds: 100), every: nil,
            canBeHandedOver: canBeHandedOver, "timer \(id)", limit: limit)
    }

    @Test("a background task granted after all timers were cancelled is ended")
    func grantedTooLate() throws {
        var machine = Machine(coverage: .shared)
        let first = try #require(request(schedule(&machine, 1)))
        #expect(describe(machine.cancelAll().actions) == ["cancelled", "release timer 1"])
        // A timer that is scheduled meanwhile gets another background task.
        let second = try #require(request(schedule(&machine, 2)))
        #expect(second != first)
        #expect(describe(machine.granted(first, "A")) == ["end A"])
        #expect(describe(machine.granted(second, "B")).isEmpty)
        #expect(describe(machine.cancelAll().actions) == ["cancelled", "release timer 2", "end B"])
    }

    @Test(
        "a background task that expires before it is granted is reported once, and ended if it is granted later"
    )
    func expiredBeforeGranted() throws {
        var machine = Machine(coverage: .shared)
        let task = try #require(request(schedule(&machine, 1)))
        #expect(describe(machine.expired(task)) == ["expired"])
        #expect(describe(machine.expired(task)).isEmpty)
        #expect(describe(machine.granted(task, "A")) == ["end A"])
        let again = machine.enteredForeground()
        #expect(describe(again) == ["begin 2"])
        #expect(describe(machine.granted(try #require(request(again)), "B")).isEmpty)
        #expect(describe(machine.cancelAll().actions).contains("end B"))
    }

    @Test("a background task lasts until the last timer has been handed over")
    func endsAfterHandingOver() throws {
        var machine = Machine(coverage: .shared)
        let task = try #require(request(schedule(&machine, 1, canBeHandedOver: true)))
        _ = schedule(&machine, 2, canBeHandedOver: true)
        _ = machine.granted(task, "A")
        let limit = ContinuousInstant(nanoseconds: 99)
        #expect(
            describe(machine.enteredBackground(limit: limit))
                == ["hand over timer 1", "hand over timer 2", "handedOver", "end A"])
        #expect(describe(machine.enteredBackground(limit: limit)).isEmpty)
        #expect(describe(schedule(&machine, 3, canBeHandedOver: true, limit: limit)).contains("hand over timer 3"))
        #expect(
            describe(machine.enteredForeground()) == [
                "take back timer 1", "begin 2", "take back timer 2", "take back timer 3",
            ])
    }

    @Test("a timer due exactly at the end of the background time is not handed over")
    func limit() throws {
        var machine = Machine(coverage: .shared)
        _ = schedule(&machine, 1, canBeHandedOver: true)
        #expect(describe(machine.enteredBackground(limit: ContinuousInstant(nanoseconds: 100))).isEmpty)
        #expect(describe(machine.enteredBackground(limit: nil)).isEmpty)
    }

    @Test("events end after the last work if the timers are released while it runs")
    func closedWhileRunning() throws {
        var machine = Machine(coverage: .shared)
        let id = BackgroundTimers.ID(number: 1)
        let task = try #require(request(schedule(&machine, 1)))
        _ = machine.granted(task, "A")
        let work = machine.fire(id, now: ContinuousInstant(nanoseconds: 100))
        #expect(work == "timer 1" && machine.pending.isEmpty)
        #expect(describe(machine.close()).isEmpty)
        #expect(describe(machine.finished(id, limit: nil)) == ["executed", "end A", "release timer 1", "finish"])
    }
}
