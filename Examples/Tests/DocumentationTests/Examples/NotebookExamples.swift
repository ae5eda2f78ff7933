// Shown: notebook
import Apus
import ApusTesting
import Testing

/// Saves when the user goes away.
@MainActor
final class Notebook {
    private var observation: ObservationToken?

    init(host: any BackgroundHost, records: any RecordStore) {
        observation = host.observePhase { phase in
            guard phase == .background, let task = try? host.beginBackgroundTask(named: "save") else { return }
            host.engine.schedule(after: .seconds(2)) {  // it takes a while
                let saves = (try? records.load(Int.self, for: "saves")) ?? 0
                try? records.save(saves + 1, for: "saves")
                task.end()
            }
        }
    }
}

@MainActor
@Test("the notebook saves after Home")
func savesAfterHome() throws {
    try SimulatedDevice.run { device in
        device.install { host in Notebook(host: host, records: host.storage) }
        device.launch()
        device.pressHome()
        device.advance(by: .seconds(60))
        let saves = try device.storage.load(Int.self, for: "saves")
        #expect(saves == 1)
        for event in device.log { print(event) }
    }
}
// Shown: end

// Shown: thirty-days
@MainActor
@Test("thirty days with a notebook that is used twice a day, and is often purged from memory")
func thirtyDays() throws {
    try SimulatedDevice.run(seed: 7) { device in
        device.install { host in Notebook(host: host, records: host.storage) }
        for day in 1...30 {
            for _ in 1...2 {
                device.open()
                device.advance(by: .seconds(300))
                device.lock()
                device.advance(by: .seconds(43_200 - 300))
            }
            if day.isMultiple(of: 3) { device.applyMemoryPressure() }
        }
        let saves = try device.storage.load(Int.self, for: "saves")
        #expect(saves == 60)
    }
}
// Shown: end

@MainActor
enum NotebookExamples {
    static func forgetful() throws {
        // Shown: forgetful
        let device = SimulatedDevice()
        device.install { host in
            var request = BackgroundTaskRequest(name: "save", fileID: "Notes/Save.swift", line: 12) {
                print("save: not done yet")
            }
            request.endsOnExpiration = false
            return SavingApp(try host.beginBackgroundTask(request))  // which never ends it
        }
        device.launch()
        device.pressHome()
        device.advance(by: .seconds(60))
        do { try device.verify() } catch { print(error) }
        for event in device.log {
            if case .terminated = event.what { print(event) }
        }
        // Shown: end
    }
}

@MainActor
final class SavingApp {
    private let task: BackgroundTask
    init(_ task: BackgroundTask) { self.task = task }
}
