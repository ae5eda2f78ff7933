import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

/// Each test logs the ticks of a consumer whose work takes time, and the second in which each tick is delivered.
@Suite("Missed ticks")
struct MissedTickPolicyTests {
    struct Seen: Equatable, Sendable {
        let at: Double
        let number: Int
        let missed: Int
        init(_ at: Double, _ number: Int, missed: Int = 0) {
            (self.at, self.number, self.missed) = (at, number, missed)
        }
    }

    /// Returns the ticks of seven seconds with an interval of 1 s, where handling tick 2 takes 2.4 s and the others
    /// take no time.
    private func run(_ policy: MissedTickPolicy) throws -> [Seen] {
        let time = VirtualTime()
        let log = Log<Seen>()
        let begin = time.continuous()
        let engine = time.engine
        let task = time.start {
            for await tick in try engine.ticks(every: .seconds(1), missedTicks: policy) {
                let actual = ContinuousInstant(nanoseconds: tick.actual.nanoseconds)
                log.add(Seen(begin.duration(to: actual) / .seconds(1), tick.number, missed: tick.missedCount))
                if tick.number == 2 { try await engine.sleep(for: .milliseconds(2_400)) }
            }
        }
        time.advance(by: .seconds(7))
        task.cancel()
        time.settle()
        #expect(time.leaks == [])
        return log.all
    }

    // due        |    |    |    |    |    |    |    |
    //            0    1    2    3    4    5    6    7
    // coalesce        1    2===========4  5    6    7
    @Test("coalesce: late ticks become one, with the number of missed ticks")
    func coalesce() throws {
        #expect(
            try run(.coalesce) == [
                Seen(1, 1), Seen(2, 2), Seen(4.4, 4, missed: 1), Seen(5, 5), Seen(6, 6), Seen(7, 7),
            ]
        )
    }

    // due        |    |    |    |    |    |    |    |
    //            0    1    2    3    4    5    6    7
    // skip            1    2===========   5    6    7
    @Test("skip: late ticks are dropped, and the next one in phase has their number")
    func skip() throws {
        #expect(try run(.skip) == [Seen(1, 1), Seen(2, 2), Seen(5, 5, missed: 2), Seen(6, 6), Seen(7, 7)])
    }

    // due        |    |    |    |    |    |    |    |
    //            0    1    2    3    4    5    6    7
    // delay           1    2===========3    4    5
    @Test("delay: a late tick comes immediately and starts a new phase")
    func delay() throws {
        #expect(try run(.delay) == [Seen(1, 1), Seen(2, 2), Seen(4.4, 3), Seen(5.4, 4), Seen(6.4, 5)])
    }

    // due        |    |    |    |    |    |    |    |
    //            0    1    2    3    4    5    6    7
    // burst           1    2===========34 5    6    7
    @Test("burst: no tick is lost, and late ones come one after another")
    func burst() throws {
        #expect(
            try run(.burst) == [
                Seen(1, 1), Seen(2, 2), Seen(4.4, 3), Seen(4.4, 4), Seen(5, 5), Seen(6, 6), Seen(7, 7),
            ]
        )
    }

    @Test(
        "after the machine's sleep each policy handles the ticks that fell due in it",
        arguments: [
            (MissedTickPolicy.coalesce, [Seen(1, 1), Seen(4.5, 4, missed: 2), Seen(5, 5)]),
            (.skip, [Seen(1, 1), Seen(4.5, 4, missed: 2), Seen(5, 5)]),
            (.delay, [Seen(1, 1), Seen(4.5, 2), Seen(5.5, 3)]),
            (.burst, [Seen(1, 1), Seen(4.5, 2), Seen(4.5, 3), Seen(4.5, 4), Seen(5, 5)]),
        ])
    func machineSleep(policy: MissedTickPolicy, expected: [Seen]) throws {
        let time = VirtualTime()
        let log = Log<Seen>()
        let begin = time.continuous()
        let timer = try RepeatingTimer(every: .seconds(1), missedTicks: policy, engine: time.engine) { tick in
            let actual = ContinuousInstant(nanoseconds: tick.actual.nanoseconds)
            log.add(Seen(begin.duration(to: actual) / .seconds(1), tick.number, missed: tick.missedCount))
        }
        timer.resume()
        time.advance(by: .seconds(1))
        time.sleepMachine(for: .milliseconds(3_500))
        time.advance(by: .seconds(1))
        #expect(log.all == expected)
    }
}
