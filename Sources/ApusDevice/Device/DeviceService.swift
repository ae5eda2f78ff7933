import ApusBackground
import ApusTimers
import ApusVirtualTime

/// A part that answers the app's requests and sends it events, as values: an app in a process of its own reaches it as
/// one in the test's process does.
package protocol DeviceService: DevicePart {
    /// What an app asks for.
    associatedtype Request: Codable & Sendable
    associatedtype Reply: Codable & Sendable
    /// What ``PartSurroundings/send(_:of:)`` hands to the app; `Never` for a service that only answers.
    associatedtype Event: Codable & Sendable

    /// Answers a request of the process that runs. From any thread.
    func answer(_ request: Request) -> Reply
}

extension SimulatedHost {
    /// Asks a service of the device.
    package func ask<Service: DeviceService>(_ service: Service.Type, _ request: Service.Request) -> Service.Reply {
        part(service).answer(request)
    }

    /// Calls `handler` on the main loop with a service's events, in place of the earlier handler. It goes with the process.
    package func observe<Service: DeviceService>(
        _ service: Service.Type, _ handler: @escaping @MainActor @Sendable (Service.Event) -> Void
    ) {
        // Released outside the lock: what it captured may do anything when it goes.
        let old: (any Sendable)? = state.withLock { state in
            guard !process.isEnded else { return nil }
            return state.eventHandlers.updateValue(EventHandler<Service>(handle: handler), forKey: "\(service)")
        }
        withExtendedLifetime(old) {}
    }

    /// The service of that name, if the device has it.
    package func service(named name: String) -> (any DeviceService)? {
        parts.all.lazy.compactMap { $0 as? any DeviceService }.first { "\(type(of: $0))" == name }
    }

    fileprivate func deliver<Service: DeviceService>(_ event: Service.Event, of service: Service.Type) {
        process.mainLoop.run { [weak self] in
            // Looked up when it runs: an app that was only just started has set it by then.
            let handler = self?.state.withLock { $0.eventHandlers["\(service)"] } as? EventHandler<Service>
            handler?.handle(event)
        }
    }
}

extension PartSurroundings {
    /// Hands an event to the app, on the main loop of its process. Without a process, or a handler, it is lost.
    package func send<Service: DeviceService>(_ event: Service.Event, of service: Service.Type) {
        host?.deliver(event, of: service)
    }
}

private struct EventHandler<Service: DeviceService>: Sendable {
    let handle: @MainActor @Sendable (Service.Event) -> Void
}
