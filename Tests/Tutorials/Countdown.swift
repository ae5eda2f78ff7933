// The declarations are public for the tests; the code is as people copy it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// A countdown that counts ticks, and keeps the remaining seconds in the user defaults.
public class TickingCountdown {
    public private(set) var secondsLeft: Int
    public var onTick: ((Int) -> Void)?
    private var timer: Timer?

    public init(seconds: Int) {
        let saved = UserDefaults.standard.integer(forKey: "secondsLeft")
        secondsLeft = saved > 0 ? saved : seconds
    }

    public func start() {
        timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] _ in
            guard let self = self else { return }
            self.secondsLeft -= 1
            UserDefaults.standard.set(self.secondsLeft, forKey: "secondsLeft")
            self.onTick?(self.secondsLeft)
            if self.secondsLeft == 0 { self.timer?.invalidate() }
        }
    }
}

/// A countdown that keeps its end in the user defaults, and computes the remaining time from it.
public class DatedCountdown {
    public var onTick: ((Int) -> Void)?
    private let end: Date
    private var timer: Timer?

    public init(seconds: Int) {
        if let saved = UserDefaults.standard.object(forKey: "end") as? Date {
            end = saved
        } else {
            end = Date().addingTimeInterval(TimeInterval(seconds))
            UserDefaults.standard.set(end, forKey: "end")
        }
    }

    public var secondsLeft: Int { max(0, Int(end.timeIntervalSinceNow.rounded())) }

    public func start() {
        timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] _ in
            guard let self = self else { return }
            self.onTick?(self.secondsLeft)
            if self.secondsLeft == 0 { self.timer?.invalidate() }
        }
    }
}
