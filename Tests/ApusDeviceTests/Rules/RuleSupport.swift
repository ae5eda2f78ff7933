import ApusBackground
import ApusDevice
import ApusTimers
import Testing

extension SimulatedDevice {
    /// Lets the running app do something at once; what it throws is noted.
    func inApp(_ work: @escaping @Sendable (SimulatedHost) async throws -> Void) throws {
        let host = try #require(host)
        host.start {
            do { try await work(host) } catch let error as BackgroundError { host.note("error \(error.code)") } catch {
                host.note("error \(error)")
            }
        }
        advance(by: .zero)
    }

    /// Lets the app play so many items, called "1", "2" and so on.
    func play(_ count: Int = 1) throws {
        try inApp { host in
            await host.audio.setQueue(
                (1...count).map { AudioItem(id: "\($0)", title: "Item \($0)", source: "\($0).mp3") })
            try await host.audio.play()
        }
    }

    /// Lets the app note the updates of its location service: "at 10" for one degree a step, "no fix", a change of the
    /// authorization.
    func follow(inBackground: Bool) throws {
        try inApp { host in
            for await update in try host.location.updates(inBackground: inBackground) {
                switch update {
                case .position(let position): host.note("at \(Int(position.latitude))")
                case .noFix: host.note("no fix")
                case .authorization(let authorization): host.note("now \(authorization.rawValue)")
                }
            }
            host.note("no more updates")
        }
    }

    /// The identifiers of the notifications that were delivered, to the user or to the app.
    func deliveries(to actor: DeviceEvent.Actor? = nil) -> [String] {
        log.compactMap { event in
            guard case .notificationDelivered(let identifier) = event.what, event.actor == actor ?? event.actor else {
                return nil
            }
            return identifier
        }
    }
}

extension LocationRoute {
    /// North by a degree every ten seconds, from the equator.
    static var north: LocationRoute {
        moving(from: Place(latitude: 0, longitude: 0), north: 0.1, east: 0, every: .seconds(10))
    }
}

extension NotificationRequest {
    init(_ identifier: String, after interval: Duration, repeats: Bool = false) {
        self.init(
            identifier: identifier, notification: UserNotification(title: identifier),
            trigger: .after(interval, repeats: repeats))
    }
}
