import ApusBackground
import ApusDevice
import SimulatedAppleCore

/// The connection of a process to the Live Activities of the device.
final class ActivityCenter: Sendable {
    private let host: any PhoneHost
    private let latest: Broadcast<ActivityEvent?>

    private init(_ process: PhoneProcess) {
        host = process.host
        latest = Broadcast(nil, mainLoop: host.mainLoop)
        host.observe(SimulatedActivities.self) { [weak self] event in self?.latest.announce(event) }
    }

    static var shared: ActivityCenter {
        let process = SimulatedPhone.process
        return process.shared.object(of: ActivityCenter.self) { ActivityCenter(process) }
    }

    var areEnabled: Bool {
        if case .isEnabled(let isEnabled) = ask(.isEnabled) { isEnabled } else { false }
    }

    /// All activities of the app, including those that are not shown any more.
    var all: [DeviceActivity] {
        if case .activities(let activities) = ask(.all) { activities } else { [] }
    }

    @discardableResult
    func ask(_ call: ActivityCall) -> ActivityReply { host.ask(SimulatedActivities.self, call) }

    /// Returns a new sequence of the values that `select` returns for the events from now on.
    func events<Value>(
        _ select: @escaping @Sendable (ActivityEvent) -> Value?
    ) -> some AsyncSequence<Value, Never> {
        latest.changes().compactMap { event in event.flatMap(select) }
    }

    func warn(_ text: String) { host.warn(text) }
}
