import ApusPostgres
import ApusTimers
import Testing

@Suite("The database's clock, as far as a node knows it")
struct DatabaseClockTests {
    private func here(_ milliseconds: UInt64) -> ContinuousInstant {
        ContinuousInstant(nanoseconds: milliseconds * 1_000_000)
    }

    private func there(_ milliseconds: UInt64) -> WallInstant {
        WallInstant(nanoseconds: (1_000_000 + milliseconds) * 1_000_000)
    }

    @Test("the database's clock is unknown before the first answer")
    func nothing() { #expect(DatabaseClock().wall(at: here(0)) == nil) }

    @Test("an answer bounds the clock between its question and its arrival, and the clock continues from there")
    func oneAnswer() {
        var clock = DatabaseClock()
        clock.learn(there(100), asked: here(7), answered: here(10))
        #expect(clock.wall(at: here(10)) == there(100)...there(103))
        #expect(clock.wall(at: here(50)) == there(140)...there(143))
    }

    @Test("the narrowest bounds of the recent answers hold, and a slow answer does not widen them")
    func narrowest() {
        var clock = DatabaseClock()
        clock.learn(there(100), asked: here(7), answered: here(10))
        clock.learn(there(201), asked: here(108), answered: here(118))
        // The first answer shows that the database is 90 to 93 ahead of this clock, and the second one shows that it is
        // 83 to 93 ahead.
        #expect(clock.wall(at: here(200)) == there(290)...there(293))
        clock.learn(there(301), asked: here(209), answered: here(210))
        #expect(clock.wall(at: here(300)) == there(391)...there(392))
    }

    @Test("an answer from before the last few no longer counts", arguments: [7, 8])
    func forgets(_ later: Int) {
        var clock = DatabaseClock()
        clock.learn(there(1_000), asked: here(100), answered: here(100))
        for number in 1...UInt64(later) {
            clock.learn(there(1_000 + number * 10), asked: here(95 + number * 10), answered: here(105 + number * 10))
        }
        let isExact = clock.wall(at: here(500)) == there(1_400)...there(1_400)
        #expect(isExact == (later < DatabaseClock.memory))
    }

    @Test("after the clock is set, its next answer alone determines it", arguments: [-60_000, 60_000] as [Int])
    func set(_ step: Int) {
        var clock = DatabaseClock()
        clock.learn(there(100_000), asked: here(7), answered: here(10))
        clock.learn(there(100_100), asked: here(107), answered: here(110))
        clock.learn(there(UInt64(100_200 + step)), asked: here(207), answered: here(210))
        #expect(clock.wall(at: here(210)) == there(UInt64(100_200 + step))...there(UInt64(100_203 + step)))
    }

    @Test("with random answers the true clock lies within the bounds, which are no wider than the fastest answer's")
    func random() {
        let random = SeededRandom(seed: 1)
        for _ in 0..<200 {
            var clock = DatabaseClock()
            var now: UInt64 = 1_000
            var delays: [UInt64] = []
            for _ in 0..<20 {
                now += random.next() % 5_000
                let (before, after) = (random.next() % 50, random.next() % 50)
                clock.learn(there(now + before), asked: here(now), answered: here(now + before + after))
                delays.append(before + after)
                now += before + after
                let bounds = clock.wall(at: here(now))!
                #expect(bounds.contains(there(now)))
                let width = bounds.lowerBound.duration(to: bounds.upperBound)
                #expect(width <= .milliseconds(Int(delays.suffix(DatabaseClock.memory).min()!)))
            }
        }
    }
}
