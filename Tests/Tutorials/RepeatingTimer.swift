// The declarations are public for the tests; the code is as people copy it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// A timer on a dispatch source, which keeps its state in order not to crash.
public class RepeatingTimer {
    public let timeInterval: TimeInterval
    public var eventHandler: (() -> Void)?

    private enum State {
        case suspended
        case resumed
    }

    private var state: State = .suspended

    private lazy var timer: DispatchSourceTimer = {
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + self.timeInterval, repeating: self.timeInterval)
        timer.setEventHandler(handler: { [weak self] in
            self?.eventHandler?()
        })
        return timer
    }()

    public init(timeInterval: TimeInterval) {
        self.timeInterval = timeInterval
    }

    deinit {
        timer.setEventHandler {}
        timer.cancel()
        // A source must not be released while it is suspended.
        resume()
        eventHandler = nil
    }

    public func resume() {
        if state == .resumed { return }
        state = .resumed
        timer.resume()
    }

    public func suspend() {
        if state == .suspended { return }
        state = .suspended
        timer.suspend()
    }
}

/// The same timer without the state, as people write it at first.
public class NaiveRepeatingTimer {
    private let timer = DispatchSource.makeTimerSource()

    public init(timeInterval: TimeInterval, handler: @escaping () -> Void) {
        timer.schedule(deadline: .now() + timeInterval, repeating: timeInterval)
        timer.setEventHandler(handler: handler)
    }

    public func resume() { timer.resume() }
    public func suspend() { timer.suspend() }
}
