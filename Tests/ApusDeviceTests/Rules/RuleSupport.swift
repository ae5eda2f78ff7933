import ApusBackground
import ApusDevice
import ApusTimers
import Testing

extension SimulatedDevice {
    /// Runs work in the running app at once, and notes the error that it throws.
    func inApp(_ work: @escaping @Sendable (SimulatedHost) async throws -> Void) throws {
        let host = try #require(host)
        host.start {
            do { try await work(host) } catch let error as BackgroundError { host.note("error \(error.code)") } catch {
                host.note("error \(error)")
            }
        }
        advance(by: .zero)
    }

    /// Makes the app play a number of items, which are called "1", "2" and so on.
    func play(_ count: Int = 1) throws {
        try inApp { host in
            await host.audio.setQueue(
                (1...count).map { AudioItem(id: "\($0)", title: "Item \($0)", source: "\($0).mp3") })
            try await host.audio.play()
        }
    }

    /// Makes the app note the updates of its location service.
    ///
    /// A note is "at 10" for a latitude of ten degrees, "no fix", or "now always" for a change of the authorization.
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

    /// Returns the identifiers of the notifications that were delivered to an actor, or of all delivered ones.
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
    /// A route from the equator to the north, by one degree every ten seconds.
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
