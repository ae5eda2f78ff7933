// The declarations are public for the tests; the code is as people copy it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Timers of tutorials, as people copy them, in Swift 5 mode. Nothing here knows of Apus, and each has the faults that it
// has in the tutorials: the tests of ProcessClockTests find them.

import Foundation

public protocol BackgroundTimerDelegate: AnyObject {
    func backgroundTimer(_ timer: BackgroundTimer, didFire id: Int)
}

/// A timer on threads: each one sleeps on a thread of the global queue, in a loop.
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
