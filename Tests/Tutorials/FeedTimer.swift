// The declarations are public for the tests; the code is as people copy it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// A clock below a list, which stops in the default mode while the user scrolls.
public class FeedTimer {
    private var timers: [Timer] = []

    public init() {}

    public func start(in mode: RunLoop.Mode, onTick: @escaping () -> Void) {
        let timer = Timer(fire: Date().addingTimeInterval(1), interval: 1, repeats: true) { _ in onTick() }
        RunLoop.main.add(timer, forMode: mode)
        timers.append(timer)
    }
}
