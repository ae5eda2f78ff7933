import ApusDevice
import ApusTestTraits
import Dispatch
import Foundation
import Testing

/// The parent of all suites of the simulated frameworks, whose tests run one after another because a process has one
/// simulated phone.
@MainActor
@Suite("The modules with the names of Apple's frameworks", .serialized, .simulatedPhone())
struct SimulatedAppleTests {}

/// The notes of an app, in order.
///
/// A test retains this object instead of the app.
@MainActor
final class Journal {
    var lines: [String] = []

    /// Returns the notes since the last call.
    func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}

/// The notes of several threads, in order.
///
/// For `@unchecked Sendable`: `lines` is used under `lock`.
final class Notes: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []
    func add(_ line: String) { lock.withLock { lines.append(line) } }
    var all: [String] { lock.withLock { lines } }
}

/// The main actor's thread, which `Thread.isMainThread` does not recognize under Swift Testing on Linux.
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
