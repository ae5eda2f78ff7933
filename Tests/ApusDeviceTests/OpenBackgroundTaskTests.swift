import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import Testing

@MainActor
@Suite("The open background tasks of a process")
struct OpenBackgroundTaskTests {
    private final class Nothing {}

    @Test("open background tasks are listed with their names, places and beginnings, in order, until they end")
    func lists() throws {
        try SimulatedDevice.run { device in
            device.install { _ in Nothing() }
            device.launch()
            let host = try #require(device.host)
            let begin = device.time.wall()
            let first = host.beginBackgroundTask(name: "upload", place: "App/Sync.swift:7")
            device.advance(by: .seconds(5))
            let second = host.beginBackgroundTask(name: "tidy")
            #expect(
                host.openBackgroundTasks == [
                    OpenBackgroundTask(id: first, name: "upload", place: "App/Sync.swift:7", begun: begin),
                    OpenBackgroundTask(id: second, name: "tidy", place: nil, begun: begin.advanced(by: .seconds(5))),
                ])
            host.endBackgroundTask(first)
            #expect(host.openBackgroundTasks.map(\.name) == ["tidy"])
            device.kill()
            #expect(host.openBackgroundTasks.isEmpty)
        }
    }
}
