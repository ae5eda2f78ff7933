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
}
