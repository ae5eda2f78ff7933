#if Postgres
    import ApusTimers
    import Testing

    @testable import ApusPostgres

    /// Wraps the machine in a class, because expressions in `#expect` cannot mutate a value.
    private final class Machine {
        typealias Shape = ConnectionMachine.Shape
        typealias Answer = ConnectionMachine.Answer
        typealias BatchID = ConnectionMachine.BatchID
        typealias Unanswered = ConnectionMachine.Unanswered
        static let mostInFlight = ConnectionMachine.mostInFlight

        private var machine: ConnectionMachine
        init(connectDeadline: UptimeInstant?) { machine = ConnectionMachine(connectDeadline: connectDeadline) }

        var phase: String { machine.phase }
        var interest: Readiness { machine.interest }
        var isOpen: Bool { machine.isOpen }
        func connectPolled(_ status: ConnectionMachine.ConnectStatus) -> ConnectionMachine.ConnectAction {
            machine.connectPolled(status)
        }
        func submit(deadline: UptimeInstant?) -> BatchID? { machine.submit(deadline: deadline) }
        func withdraw(_ id: BatchID) -> Bool { machine.withdraw(id) }
        func next() -> ConnectionMachine.NextAction { machine.next() }
        func sent(_ id: BatchID, as shape: Shape) { machine.sent(id, as: shape) }
        func ready(_ readiness: Readiness) -> ConnectionMachine.ReadyAction { machine.ready(readiness) }
        func flushed(isComplete: Bool) { machine.flushed(isComplete: isComplete) }
        func received(_ answer: Answer) -> ConnectionMachine.AnswerAction { machine.received(answer) }
        func lost() -> [Unanswered] { machine.lost() }
        func expired(at now: UptimeInstant) -> ConnectionMachine.ExpiryAction { machine.expired(at: now) }
        func close() -> ConnectionMachine.CloseAction { machine.close() }
    }

    @Suite("The machine of a connection")
    struct ConnectionMachineTests {
        private static func idle() -> Machine {
            let machine = Machine(connectDeadline: nil)
            #expect(machine.connectPolled(.ready) == .begin)
            return machine
        }

        /// Returns a machine whose flushed batches, with the given shapes, are in flight.
        private static func busy(_ shapes: Machine.Shape...) throws -> (Machine, [Machine.BatchID]) {
            let machine = idle()
            let ids = try shapes.map { shape in
                let id = try #require(machine.submit(deadline: nil))
                #expect(machine.next() == .send(id))
                machine.sent(id, as: shape)
                return id
            }
            #expect(machine.next() == .flush)
            machine.flushed(isComplete: true)
            #expect(machine.next() == .wait)
            return (machine, ids)
        }

        private static let one = Machine.Shape(answers: 1)
        private static let explicit = Machine.Shape(answers: 2, hasCommit: true)

        @Test("connecting waits for the socket events that libpq asks for, then the pipeline begins")
        func connecting() {
            let machine = Machine(connectDeadline: nil)
            #expect(machine.phase == "connecting")
            #expect(machine.interest == .writable)
            #expect(machine.ready(.writable) == .pollConnect)
            #expect(machine.connectPolled(.reading) == .wait)
            #expect(machine.interest == .readable)
            #expect(machine.connectPolled(.writing) == .wait)
            #expect(machine.interest == .writable)
            #expect(machine.submit(deadline: nil) == nil)
            #expect(machine.connectPolled(.ready) == .begin)
            #expect(machine.phase == "idle")
            #expect(machine.interest == .readable)
            #expect(machine.isOpen)
        }

        @Test("a connection that failed is closed, and takes no batches")
        func failed() {
            let machine = Machine(connectDeadline: nil)
            #expect(machine.connectPolled(.failed) == .finish)
            #expect(machine.phase == "closed")
            #expect(machine.submit(deadline: nil) == nil)
            #expect(machine.interest == [])
            #expect(machine.ready(.readable) == .ignore)
            #expect(machine.close() == .none)
        }

        @Test(
            "the answers of one batch give its fate",
            arguments: [
                // Each of these batches is an implicit transaction of two statements.
                ([.succeeded, .succeeded, .synced], false, .applied),
                ([.succeeded, .rolledBack, .synced], false, .applied),
                ([.refused, .skipped, .synced], false, .notApplied),
                ([.succeeded, .refused, .synced], false, .notApplied),
                ([.succeeded, .succeeded, .refused, .synced], false, .notApplied),
                ([.unreadable, .succeeded, .synced], false, .applied),
                // Each of these batches is BEGIN and one statement, and then COMMIT.
                ([.succeeded, .succeeded, .synced, .succeeded, .synced], true, .applied),
                ([.succeeded, .rolledBack, .synced, .succeeded, .synced], true, .applied),
                ([.succeeded, .unreadable, .synced, .rolledBack, .synced], true, .notApplied),
                ([.succeeded, .refused, .synced, .rolledBack, .synced], true, .notApplied),
                ([.refused, .skipped, .synced, .rolledBack, .synced], true, .notApplied),
                ([.succeeded, .succeeded, .synced, .refused, .synced], true, .notApplied),
                ([.succeeded, .succeeded, .synced, .unreadable, .synced], true, .unknown),
            ] as [([ConnectionMachine.Answer], Bool, PostgresFate)])
        func fates(answers: [ConnectionMachine.Answer], hasCommit: Bool, fate: PostgresFate) throws {
            let (machine, ids) = try Self.busy(Machine.Shape(answers: 2, hasCommit: hasCommit))
            for answer in answers.dropLast() {
                let action = machine.received(answer)
                #expect(action != .violation && action != .answered(ids[0], fate))
            }
            #expect(machine.received(answers[answers.count - 1]) == .answered(ids[0], fate))
            #expect(machine.next() == .wait)
            #expect(machine.phase == "idle")
        }

        @Test(
            "the answers received before the connection breaks decide the batch's fate",
            arguments: [
                ([], false, .unknown),
                ([.succeeded, .succeeded], false, .unknown),
                ([.succeeded, .refused], false, .notApplied),
                ([.ended], false, .notApplied),
                ([.succeeded, .ended], false, .notApplied),
                ([.succeeded, .succeeded, .ended], false, .unknown),
                ([.succeeded, .succeeded, .refused], false, .notApplied),
                ([.succeeded, .refused, .ended], false, .notApplied),
                ([.unreadable], false, .unknown),
                ([.succeeded, .succeeded, .ended], true, .notApplied),
                ([.succeeded, .succeeded, .synced], true, .unknown),
                ([.succeeded, .succeeded, .synced, .ended], true, .unknown),
                ([.succeeded, .succeeded, .synced, .refused], true, .notApplied),
                ([.succeeded, .succeeded, .synced, .succeeded], true, .applied),
            ] as [([ConnectionMachine.Answer], Bool, PostgresFate)])
        func losses(answers: [ConnectionMachine.Answer], hasCommit: Bool, fate: PostgresFate) throws {
            let (machine, ids) = try Self.busy(Machine.Shape(answers: 2, hasCommit: hasCommit))
            for answer in answers { #expect(machine.received(answer) != .violation) }
            #expect(machine.lost() == [Machine.Unanswered(id: ids[0], fate: fate)])
            #expect(machine.phase == "broken")
            #expect(machine.submit(deadline: nil) == nil)
            #expect(machine.close() == .finish)
        }

        @Test("when the server ends the session at a batch, no later batch has begun")
        func laterBatches() throws {
            let (machine, ids) = try Self.busy(Self.one, Self.explicit, Self.one)
            #expect(machine.received(.succeeded) == .result(ids[0], 0))
            #expect(machine.received(.ended) == .error(ids[0], nil))
            let waiting = try #require(machine.submit(deadline: nil))
            #expect(
                machine.lost() == [
                    Machine.Unanswered(id: ids[0], fate: .unknown), Machine.Unanswered(id: ids[1], fate: .notApplied),
                    Machine.Unanswered(id: ids[2], fate: .notApplied),
                    Machine.Unanswered(id: waiting, fate: .notApplied),
                ])
        }

        @Test("when the connection breaks without a message, the fate of every sent batch is unknown")
        func silentLoss() throws {
            let (machine, ids) = try Self.busy(Self.one, Self.explicit)
            #expect(
                machine.lost() == [
                    Machine.Unanswered(id: ids[0], fate: .unknown), Machine.Unanswered(id: ids[1], fate: .unknown),
                ])
        }

        @Test("results and errors are numbered, and belong to the oldest batch")
        func order() throws {
            let (machine, ids) = try Self.busy(Machine.Shape(answers: 2), Self.one)
            #expect(machine.received(.succeeded) == .result(ids[0], 0))
            #expect(machine.received(.refused) == .error(ids[0], 1))
            #expect(machine.received(.synced) == .answered(ids[0], .notApplied))
            #expect(machine.received(.succeeded) == .result(ids[1], 0))
            #expect(machine.received(.synced) == .answered(ids[1], .applied))
        }

        @Test(
            "an answer that the protocol does not allow is a violation",
            arguments: [
                ([.synced], false), ([.skipped], false), ([.succeeded, .succeeded, .succeeded], false),
                ([.succeeded, .succeeded, .skipped], false), ([.succeeded, .succeeded, .succeeded], true),
                ([.succeeded, .succeeded, .synced, .synced], true),
                ([.succeeded, .succeeded, .synced, .succeeded, .succeeded], true),
                ([.refused, .succeeded], false),
            ] as [([ConnectionMachine.Answer], Bool)])
        func violations(answers: [ConnectionMachine.Answer], hasCommit: Bool) throws {
            let (machine, _) = try Self.busy(Machine.Shape(answers: 2, hasCommit: hasCommit))
            for answer in answers.dropLast() { #expect(machine.received(answer) != .violation) }
            #expect(machine.received(answers[answers.count - 1]) == .violation)
            let idle = Self.idle()
            #expect(idle.received(.synced) == .violation)
        }

        @Test("with a full socket, the machine waits for both directions, and input triggers another flush")
        func blocked() throws {
            let machine = Self.idle()
            let id = try #require(machine.submit(deadline: nil))
            #expect(machine.next() == .send(id))
            machine.sent(id, as: Self.one)
            #expect(machine.next() == .flush)
            machine.flushed(isComplete: false)
            #expect(machine.next() == .wait)
            #expect(machine.interest == [.readable, .writable])
            #expect(machine.ready(.readable) == .consume)
            #expect(machine.next() == .flush)
            machine.flushed(isComplete: false)
            #expect(machine.ready(.writable) == .proceed)
            #expect(machine.next() == .flush)
            machine.flushed(isComplete: true)
            #expect(machine.next() == .wait)
            #expect(machine.interest == .readable)
        }

        @Test("batches that are submitted together are flushed together")
        func oneFlush() throws {
            let machine = Self.idle()
            let ids = try (0..<3).map { _ in try #require(machine.submit(deadline: nil)) }
            for id in ids {
                #expect(machine.next() == .send(id))
                machine.sent(id, as: Self.one)
            }
            #expect(machine.next() == .flush)
            machine.flushed(isComplete: true)
            #expect(machine.next() == .wait)
        }

        @Test("batches beyond the limit in flight wait and can be withdrawn")
        func waiting() throws {
            let full = Array(repeating: Self.one, count: Machine.mostInFlight)
            let machine = Self.idle()
            var ids: [Machine.BatchID] = []
            for shape in full {
                ids.append(try #require(machine.submit(deadline: nil)))
                #expect(machine.next() == .send(ids[ids.count - 1]))
                machine.sent(ids[ids.count - 1], as: shape)
            }
            let second = try #require(machine.submit(deadline: nil))
            let third = try #require(machine.submit(deadline: nil))
            #expect(machine.next() == .flush)
            machine.flushed(isComplete: true)
            #expect(machine.next() == .wait)
            #expect(!machine.withdraw(ids[0]), "it was sent")
            #expect(machine.withdraw(second))
            #expect(!machine.withdraw(second), "it was taken back")
            #expect(machine.received(.succeeded) == .result(ids[0], 0))
            #expect(machine.received(.synced) == .answered(ids[0], .applied))
            #expect(machine.next() == .send(third))
        }

        @Test("closing waits for the answers of everything that was submitted")
        func draining() throws {
            let (machine, ids) = try Self.busy(Self.one)
            let waiting = try #require(machine.submit(deadline: nil))
            #expect(machine.close() == .drain)
            #expect(machine.phase == "draining")
            #expect(machine.submit(deadline: nil) == nil)
            #expect(machine.next() == .send(waiting))
            machine.sent(waiting, as: Self.one)
            #expect(machine.next() == .flush)
            machine.flushed(isComplete: true)
            #expect(machine.close() == .none)
            for id in [ids[0], waiting] {
                #expect(machine.next() == .wait)
                #expect(machine.received(.succeeded) == .result(id, 0))
                #expect(machine.received(.synced) == .answered(id, .applied))
            }
            #expect(machine.next() == .finish)
            #expect(machine.phase == "closed")
            #expect(machine.next() == .wait)
        }

        @Test("an idle connection closes at once")
        func closing() {
            let machine = Self.idle()
            #expect(machine.close() == .finish)
            #expect(machine.close() == .none)
        }

        private static func at(_ seconds: UInt64) -> UptimeInstant {
            UptimeInstant(nanoseconds: seconds * 1_000_000_000)
        }

        @Test("connecting has a deadline")
        func connectDeadline() {
            let machine = Machine(connectDeadline: Self.at(5))
            #expect(machine.next() == .arm(Self.at(5)))
            #expect(machine.next() == .wait)
            #expect(machine.expired(at: Self.at(4)) == .none)
            #expect(machine.next() == .arm(Self.at(5)), "the timer came early")
            #expect(machine.expired(at: Self.at(5)) == .lose)
        }

        @Test("the timer is armed for the earliest deadline only, and rearmed for the rest when it fires")
        func deadlines() throws {
            let machine = Self.idle()
            let first = try #require(machine.submit(deadline: Self.at(10)))
            #expect(machine.next() == .arm(Self.at(10)))
            #expect(machine.next() == .send(first))
            machine.sent(first, as: Self.one)
            let second = try #require(machine.submit(deadline: Self.at(20)))
            #expect(machine.next() == .send(second), "the timer that is armed suffices")
            machine.sent(second, as: Self.one)
            #expect(machine.next() == .flush)
            machine.flushed(isComplete: true)
            #expect(machine.received(.succeeded) == .result(first, 0))
            #expect(machine.received(.synced) == .answered(first, .applied))
            #expect(machine.expired(at: Self.at(10)) == .none)
            #expect(machine.next() == .arm(Self.at(20)))
            #expect(machine.expired(at: Self.at(20)) == .lose)
            #expect(machine.lost() == [Machine.Unanswered(id: second, fate: .unknown)])
        }

        @Test("a batch overdue before it is sent is given up, and the connection stays open")
        func overdueUnsent() throws {
            let machine = Self.idle()
            for _ in 0..<Machine.mostInFlight {
                let id = try #require(machine.submit(deadline: nil))
                #expect(machine.next() == .send(id))
                machine.sent(id, as: Self.one)
            }
            let late = try #require(machine.submit(deadline: Self.at(3)))
            let later = try #require(machine.submit(deadline: Self.at(9)))
            #expect(machine.next() == .arm(Self.at(3)))
            #expect(machine.expired(at: Self.at(3)) == .withdrawn([late]))
            #expect(machine.next() == .arm(Self.at(9)))
            #expect(machine.withdraw(later))
            #expect(machine.isOpen)
        }
    }
#endif
