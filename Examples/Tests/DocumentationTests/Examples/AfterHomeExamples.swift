import Apus
import ApusTesting

/// The objects that an app retains as long as its process lives.
@MainActor
final class Kept {
    private let things: [Any]
    init(_ things: Any...) { self.things = things }
}

/// The examples in docs/background.md of work that is finished after Home.
@MainActor
enum AfterHomeExamples {
    static func upload(host: any BackgroundHost, send: @escaping @Sendable (Int) async throws -> Void) {
        // Shown: after-home-structured
        host.start {
            do {
                try await host.withBackgroundTask(named: "upload") {
                    for part in 1...4 {
                        try await send(part)  // takes ten seconds
                        print("part \(part) is sent")
                    }
                }
            } catch {
                print("not finished: \(error)")
            }
        }
        // Shown: end
    }

    static func export(host: any BackgroundHost, writeFile: (_ done: @escaping @Sendable () -> Void) -> Void) throws {
        // Shown: after-home-claim
        let task = try host.beginBackgroundTask(named: "export") {
            print("no more time: noted where to continue")  // on the main actor; be quick, a second is much
        }
        writeFile {
            print("the file is written")
            task.end()
        }
        // Shown: end
    }

    static func autosave(host: any BackgroundHost) throws -> BackgroundTimers {
        // Shown: after-home-timer
        let timers = BackgroundTimers(host: host, name: "autosave")
        let events = timers.events()
        host.start {
            for await event in events {
                if case .expired(let ids) = event { print("no more time for \(ids.count) of the timers") }
            }
        }

        try timers.schedule(after: .seconds(10)) { print("saved") }
        try timers.schedule(after: .seconds(8), every: .seconds(8)) { print("still here") }
        let reminder = try timers.schedule(after: .seconds(15)) { print("this is never printed") }
        timers.cancel(reminder)  // true: its work will not start
        // Shown: end
        return timers
    }

    // MARK: Running the examples

    static func uploadAfterHome() throws {
        try SimulatedDevice.run { device in
            device.install { host in
                upload(host: host) { _ in try await host.engine.sleep(for: .seconds(10)) }
                return Kept()
            }
            device.launch()
            device.pressHome()
            device.advance(by: .seconds(60))
        }
    }

    static func exportAfterHome() throws {
        for seconds in [12, 40] {
            try SimulatedDevice.run { device in
                device.install { host in
                    try? export(host: host) { done in
                        host.engine.schedule(after: .seconds(seconds), clock: .uptime) { done() }
                    }
                    return Kept()
                }
                device.launch()
                device.pressHome()
                device.advance(by: .seconds(60))
            }
        }
    }

    static func timersAfterHome() throws {
        try SimulatedDevice.run { device in
            device.install { host in Kept((try? autosave(host: host)) as Any) }
            device.launch()
            device.pressHome()
            device.advance(by: .seconds(60))
            print("-- opened again")
            device.open()
        }
    }
}
