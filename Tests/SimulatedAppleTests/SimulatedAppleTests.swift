import ApusDevice
import ApusTestTraits
import Dispatch
import Foundation
import Testing

/// Everything about the simulated frameworks, one test after the other: there is one simulated phone in a process.
@MainActor
@Suite("The modules with the names of Apple's frameworks", .serialized, .simulatedPhone())
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

/// What happened on several threads, in order.
///
/// For `@unchecked Sendable`: `lines` is used under `lock`.
final class Notes: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []
    func add(_ line: String) { lock.withLock { lines.append(line) } }
    var all: [String] { lock.withLock { lines } }
}

/// The main actor's thread. Under Swift Testing on Linux, `Thread.isMainThread` does not know it.
enum MainThread {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}

extension SimulatedDevice {
    func has(_ what: DeviceEvent.What) -> Bool { log.contains { $0.what == what } }

    var ends: [String] {
        log.compactMap { event in
            if case .terminated(let why) = event.what { why } else { nil }
        }
    }
}
