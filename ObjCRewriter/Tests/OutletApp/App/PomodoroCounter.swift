import Foundation

/// Counts without a screen.
@objcMembers
class PomodoroCounter: NSObject {
    static let counted = Notification.Name("PomodoroCounterCounted")

    private(set) var count = 0
    private var timer: Timer?

    func start() {
        let timer = Timer(
            timeInterval: 1, target: self, selector: #selector(PomodoroCounter.count(_:)), userInfo: nil, repeats: true)
        RunLoop.main.add(timer, forMode: .common)
        self.timer = timer
    }

    func count(_ timer: Timer) {
        count += 1
        NotificationCenter.default.post(name: Self.counted, object: self)
    }

    func stop() { timer?.invalidate() }
}
