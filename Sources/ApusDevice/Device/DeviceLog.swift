import ApusTimers
import ApusVirtualTime

/// What happened on a simulated device, in order, from any thread.
final class DeviceLog: Sendable {
    private struct State {
        var events: [DeviceEvent] = []
        var faults: [Fault] = []
        var boot: UInt64 = 0
    }

    private let state = Locked(State())
    private let time: VirtualTime

    init(time: VirtualTime) { self.time = time }

    var events: [DeviceEvent] { state.withLock { $0.events } }
    var faults: [Fault] { state.withLock { $0.faults } }

    var count: Int { state.withLock { $0.events.count } }

    /// The event of that index; nil when it has not happened yet.
    func event(_ index: Int) -> DeviceEvent? {
        state.withLock { $0.events.indices.contains(index) ? $0.events[index] : nil }
    }

    /// The machine starts now: uptime begins again.
    func restartUptime() {
        let uptime = time.uptime().nanoseconds
        state.withLock { $0.boot = uptime }
    }

    func add(_ actor: DeviceEvent.Actor, _ what: DeviceEvent.What) {
        let (wall, uptime) = (time.wall(), time.uptime().nanoseconds)
        state.withLock { state in
            let uptime = UptimeInstant(nanoseconds: uptime - state.boot)
            state.events.append(DeviceEvent(wall: wall, uptime: uptime, actor: actor, what: what))
            if case .fault(let fault) = what { state.faults.append(fault) }
        }
    }
}
