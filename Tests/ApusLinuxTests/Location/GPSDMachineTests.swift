import ApusBackground
import ApusTimers
import Testing

@testable import ApusLinux

@Suite("The machine of updates from gpsd")
struct GPSDMachineTests {
    private let now = WallInstant(secondsSince1970: 1_000)

    private func machine() -> GPSDMachine { GPSDMachine(firstPause: .seconds(1), longestPause: .seconds(60)) }

    private func watching() -> GPSDMachine {
        var machine = machine()
        _ = machine.connected()
        return machine
    }

    private func fix(_ latitude: Double, at seconds: Int64? = 5, device: String = "a") -> GPSDReport {
        .fix(
            device: device,
            .init(
                latitude: latitude, longitude: 2, accuracy: 3, instant: seconds.map { .init(secondsSince1970: $0) }))
    }

    private func position(_ latitude: Double, at seconds: Int64 = 5) -> GPSDMachine.Action {
        .report(
            .position(
                Position(latitude: latitude, longitude: 2, accuracy: 3, instant: .init(secondsSince1970: seconds))))
    }

    @Test("it begins without a fix, connects and asks for reports")
    func begins() {
        var machine = machine()
        #expect(machine.start() == [.report(.noFix), .connect])
        #expect(machine.connected() == [.send(#"?WATCH={"enable":true,"json":true}"#)])
    }

    @Test("each position is an update, with gpsd's instant if it has one")
    func positions() {
        var machine = watching()
        #expect(machine.received(fix(1), now: now) == [position(1)])
        #expect(machine.received(fix(1), now: now) == [position(1)])
        #expect(machine.received(fix(2, at: nil), now: now) == [position(2, at: 1_000)])
    }

    @Test("a lost fix is reported once, and again after the next position")
    func noFix() {
        var machine = watching()
        let lost = GPSDReport.fix(device: "a", nil)
        #expect(machine.received(lost, now: now) == [], "it began without one")
        _ = machine.received(fix(1), now: now)
        #expect(machine.received(lost, now: now) == [.report(.noFix)])
        #expect(machine.received(lost, now: now) == [])
        #expect(machine.received(fix(1), now: now) == [position(1)])
        #expect(machine.received(.deviceGone("a"), now: now) == [.report(.noFix)])
    }

    @Test("while one receiver has a fix, another one without is not reported")
    func twoReceivers() {
        var machine = watching()
        _ = machine.received(fix(1, device: "a"), now: now)
        _ = machine.received(fix(1, device: "b"), now: now)
        #expect(machine.received(.fix(device: "b", nil), now: now) == [])
        #expect(machine.received(.deviceGone("c"), now: now) == [])
        #expect(machine.received(.deviceGone("a"), now: now) == [.report(.noFix)])
    }

    @Test("when gpsd goes away, that is no fix, and it is looked for again; the log says each once")
    func goesAway() {
        var machine = watching()
        _ = machine.received(fix(1), now: now)
        #expect(
            machine.closed("gone") == [
                .unreachable(reason: "gone", nextAttempt: .seconds(1)), .report(.noFix), .retry(after: .seconds(1)),
            ])
        #expect(machine.retryDue() == [.connect])
        #expect(machine.closed("refused") == [.retry(after: .seconds(2))])
        #expect(machine.retryDue() == [.connect])
        #expect(machine.connected() == [.reachable, .send(GPSDReport.watch)])
        #expect(machine.received(fix(1), now: now) == [position(1)])
    }

    @Test("the pauses double up to the longest one, and begin anew after a report")
    func backoff() {
        var machine = machine()
        var pauses: [Duration] = []
        for _ in 0..<9 {
            for case .retry(let pause) in machine.closed("refused") { pauses.append(pause) }
            _ = machine.retryDue()
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        // A server that accepts the connection and sends nothing is no gpsd yet.
        _ = machine.connected()
        #expect(machine.closed("gone").contains(.retry(after: .seconds(60))))
        _ = machine.retryDue()
        _ = machine.connected()
        _ = machine.received(.fix(device: "a", nil), now: now)
        #expect(machine.closed("gone").contains(.retry(after: .seconds(1))))
    }

    @Test("what comes at the wrong time does nothing")
    func wrongTime() {
        var machine = machine()
        #expect(machine.received(fix(1), now: now) == [])
        #expect(machine.retryDue() == [])
        _ = machine.closed("refused")
        #expect(machine.closed("refused") == [])
        #expect(machine.received(fix(1), now: now) == [])
    }

    @Test("gpsd's complaints are for the log")
    func complaint() {
        var machine = watching()
        #expect(machine.received(.error("no"), now: now) == [.complaint("no")])
    }
}
