import UIKit

/// What can be found out when the user leaves the app, and comes back after it was suspended.
///
/// Its timer ticks each second from the beginning of the app to the end of the recording.
@MainActor
final class BackgroundScenario {
    private let recorder: Recorder
    private let start = Date()
    private var ticks: [Date] = []
    private var timer: Timer?
    private var tasks: [String: UIBackgroundTaskIdentifier] = [:]
    private var expired: [String] = []
    private var lastExpiration: Date?

    init(_ recorder: Recorder) {
        self.recorder = recorder
        timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] _ in
            MainActor.assumeIsolated { self?.ticks.append(Date()) }
        }
    }

    /// Whether the background tasks have expired, so that the phone has suspended the app since.
    var hasExpired: Bool { expired.count == 2 }

    /// Begins two background tasks; call it when the app has entered the background.
    func begin() {
        let application = UIApplication.shared
        begin("first")
        let remaining = application.backgroundTimeRemaining
        recorder.answer(.timeInBackground, .seconds(remaining))
        begin("second")
        recorder.answer(.timeOfSecondTask, .seconds(application.backgroundTimeRemaining - remaining))
    }

    private func begin(_ name: String) {
        tasks[name] = UIApplication.shared.beginBackgroundTask(withName: name) { [weak self] in self?.expire(name) }
    }

    private func expire(_ name: String) {
        expired.append(name)
        lastExpiration = Date()
        recorder.answer(.orderOfExpiration, .text(expired.joined(separator: ", ")))
        recorder.answer(.threadOfExpiration, .text(Thread.isMainThread ? "main" : "another"))
        if expired.count == 1 {
            recorder.answer(.timeAtExpiration, .seconds(UIApplication.shared.backgroundTimeRemaining))
        }
        if let task = tasks[name] { UIApplication.shared.endBackgroundTask(task) }
    }

    /// Examines the ticks of the suspension; call it a few seconds after the app has come back.
    func end() {
        timer?.invalidate()
        guard let lastExpiration else { return }
        // The suspension is the longest time without a tick.
        let times = [lastExpiration] + ticks.filter { $0 > lastExpiration }
        let gaps = zip(times, times.dropFirst()).map { $1.timeIntervalSince($0) }
        guard let longest = gaps.max(), let suspension = gaps.firstIndex(of: longest) else { return }
        recorder.answer(.runAfterExpiration, .seconds(times[suspension].timeIntervalSince(lastExpiration)))
        let later = times.dropFirst(suspension + 1)
        // The ticks that were due in the suspension would come one after another.
        let overdue = later.count { $0.timeIntervalSince(later[suspension + 1]) < 0.02 }
        recorder.answer(.overdueTicks, .text("\(overdue)"))
        let shifts = later.dropFirst(overdue).map { tick in
            let seconds = tick.timeIntervalSince(start)
            return abs(seconds - seconds.rounded())
        }
        if let shift = shifts.max() { recorder.answer(.phaseOfTicks, .seconds(shift)) }
    }
}
