import ApusVirtualTime
import Synchronization
import Testing

@testable import Ticker

@Test("a line is shown every two seconds")
func ticks() throws {
    let time = VirtualTime()
    let lines = Mutex<[String]>([])
    let ticker = try Ticker(engine: time.engine) { line in lines.withLock { $0.append(line) } }

    time.advance(by: .seconds(5))
    #expect(lines.withLock { $0 } == ["tick 1, 0 missed before it", "tick 2, 0 missed before it"])

    // Tick 2 was due at 4 s. The machine sleeps from 5 s to 12 s: ticks 3, 4 and 5 fall due, and one more at 12 s.
    time.sleepMachine(for: .seconds(7))
    #expect(lines.withLock { $0.last } == "tick 6, 3 missed before it")

    ticker.stop()
    #expect(time.leaks == [])
}
