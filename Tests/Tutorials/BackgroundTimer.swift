// The declarations are public for the tests; the code is as people copy it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Timers of tutorials, as people copy them, in Swift 5 mode. They do not know Apus, and each has the faults that it has
// in the tutorials. The tests of ProcessClockTests find these faults.

import Foundation

public protocol BackgroundTimerDelegate: AnyObject {
    func backgroundTimer(_ timer: BackgroundTimer, didFire id: Int)
}

/// A set of timers, each of which is a loop that sleeps on a thread of the global queue.
public class BackgroundTimer {
    public weak var delegate: BackgroundTimerDelegate?
    private var cancelled: Set<Int> = []

    public init() {}

    public func executeAfterDelay(_ delay: TimeInterval, id: Int, repeating: Bool = false) {
        DispatchQueue.global(qos: .background).async {
            repeat {
                let end = Date().addingTimeInterval(delay)
                while Date() < end {
                    Thread.sleep(forTimeInterval: 0.1)
                }
                if self.cancelled.contains(id) { return }
                DispatchQueue.main.async { self.delegate?.backgroundTimer(self, didFire: id) }
            } while repeating
        }
    }

    public func cancel(_ id: Int) { cancelled.insert(id) }
}
