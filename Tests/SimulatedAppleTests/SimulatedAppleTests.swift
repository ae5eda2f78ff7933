import ApusTesting
import Testing

/// Everything about the simulated frameworks, one test after the other: there is one simulated phone in a process.
@MainActor
@Suite("The modules with the names of Apple's frameworks", .serialized)
struct SimulatedAppleTests {}

/// What an app has noted, in order. A test holds this instead of the app.
@MainActor
final class Journal {
    var lines: [String] = []

    /// What came since it was last asked.
    func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}

extension SimulatedDevice {
    func has(_ what: DeviceEvent.What) -> Bool { log.contains { $0.what == what } }

    var warnings: [String] {
        log.compactMap { event in
            if case .warning(let text) = event.what { text } else { nil }
        }
    }

    var ends: [String] {
        log.compactMap { event in
            if case .terminated(let why) = event.what { why } else { nil }
        }
    }
}
