import Testing

@testable import ApusDevice

@Suite("SimulatedTaskMachine")
struct SimulatedTaskMachineTests {
    private func running(limit: UInt64? = 30, stall: UInt64? = nil) -> SimulatedTaskMachine {
        var machine = SimulatedTaskMachine(limits: .init(limit: limit, windUp: 4, stall: stall))
        #expect(machine.handOver() == true)
        #expect(machine.begin(now: 100) == true)
        return machine
    }

    @Test("a run is handed over once and begun once, and not when it is over")
    func beginning() {
        var machine = SimulatedTaskMachine(limits: .init(limit: 30, windUp: 4))
        #expect(machine.begin(now: 0) == false)
        #expect(machine.handOver() == true)
        #expect(machine.handOver() == false)
        var over = machine
        _ = over.complete()
        #expect(over.begin(now: 0) == false)
        #expect(machine.begin(now: 0) == true)
        #expect(machine.begin(now: 0) == false)
    }

    @Test("a run expires before its end; an early expiration brings the end forward, a late one does not")
    func instants() {
        var machine = running()
        #expect(machine.nextInstant == 126)
        #expect(machine.end == 130)
        _ = machine.setHandler {}
        var early = machine
        _ = early.expire(now: 110)
        #expect(early.end == 114)
        _ = machine.expire(now: 128)
        #expect(machine.end == 130)
        _ = machine.complete()
        #expect(machine.nextInstant == nil)
    }

    @Test("a run expires and is later overdue; without a handler it is never overdue")
    func passing() {
        var machine = running()
        #expect(machine.pass(now: 125) == .nothing)
        #expect(machine.pass(now: 126) == .expire)
        #expect(machine.pass(now: 130) == .expire)
        _ = machine.setHandler {}
        #expect(machine.pass(now: 130) == .overdue)
        _ = machine.expire(now: 126)
        #expect(machine.pass(now: 129) == .nothing)
        #expect(machine.pass(now: 130) == .overdue)
    }

    @Test("only an increase of the completed share puts off the expiration")
    func progress() {
        var machine = running(limit: nil, stall: 60)
        #expect(machine.nextInstant == 160)
        machine.report(completed: 1, total: 10, now: 110)
        #expect(machine.nextInstant == 170)
        machine.report(completed: 2, total: 20, now: 120)
        machine.report(completed: 1, total: 20, now: 121)
        #expect(machine.nextInstant == 170)
        machine.report(completed: 30, total: 20, now: 122)
        #expect(machine.completedUnits == 20)
        #expect(machine.nextInstant == 182)
        #expect(machine.end == nil)
    }

    @Test("an expired run returns its handler once, and a run that is over has none")
    func handler() {
        var machine = running()
        _ = machine.setHandler {}
        #expect(machine.takeHandler() == nil, "it is not expired")
        _ = machine.expire(now: 110)
        #expect(machine.takeHandler() != nil)
        #expect(machine.takeHandler() == nil)
        #expect(machine.setHandler {} != nil, "given back")
        #expect(machine.handler == nil)
        var abandoned = running()
        _ = abandoned.setHandler {}
        #expect(abandoned.abandon() != nil)
        #expect(abandoned.handler == nil)
    }
}

@Suite("CPUMonitor")
struct CPUMonitorTests {
    @Test("the limit counts the time of computing within the window, wherever the pauses are")
    func limit() {
        var monitor = CPUMonitor(window: 60, share: 0.8)
        #expect(monitor.limitReached(from: 1_000, to: 1_047) == nil)
        #expect(monitor.limitReached(from: 1_000, to: 1_100) == 1_048)
        monitor.computed(from: 1_000, to: 1_024)
        #expect(monitor.limitReached(from: 1_026, to: 1_060) == 1_050)
        monitor.computed(from: 1_040, to: 1_050)
        #expect(monitor.limitReached(from: 1_090, to: 1_120) == nil)
        #expect(monitor.limitReached(from: 1_090, to: 1_138) == 1_138)
    }
}
