import UIKit

/// Looks for prime numbers, and continues for a while when the user leaves the app.
class PrimeSearch {
    private(set) var primes: [Int] = []
    private(set) var remainingTimes: [TimeInterval] = []
    private(set) var isRunning = false
    private(set) var wasCutShort = false

    private let goal: Int
    private var candidate = 2
    private var observers: [NSObjectProtocol] = []
    private var backgroundTask = UIBackgroundTaskIdentifier.invalid

    init(goal: Int) {
        self.goal = goal
        let center = NotificationCenter.default
        observers.append(
            center.addObserver(
                forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: .main
            ) { [weak self] _ in self?.enteredBackground() })
        observers.append(
            center.addObserver(
                forName: UIApplication.didBecomeActiveNotification, object: nil, queue: .main
            ) { [weak self] _ in self?.becameActive() })
    }

    deinit {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
    }

    func start() {
        guard !isRunning else { return }
        isRunning = true
        Task { @MainActor in
            while self.isRunning, self.primes.count < self.goal {
                self.step()
                await Task.yield()
            }
            self.isRunning = false
            self.endBackgroundTask()
        }
    }

    private func step() {
        if UIApplication.shared.applicationState == .background {
            remainingTimes.append(UIApplication.shared.backgroundTimeRemaining)
        }
        if !primes.contains(where: { candidate.isMultiple(of: $0) }) { primes.append(candidate) }
        candidate += 1
    }

    private func enteredBackground() {
        guard isRunning else { return }
        backgroundTask = UIApplication.shared.beginBackgroundTask(withName: "primes") { [weak self] in
            self?.wasCutShort = true
            self?.isRunning = false
            self?.endBackgroundTask()
        }
    }

    private func becameActive() {
        endBackgroundTask()
        if primes.count < goal { start() }
    }

    private func endBackgroundTask() {
        guard backgroundTask != .invalid else { return }
        UIApplication.shared.endBackgroundTask(backgroundTask)
        backgroundTask = .invalid
    }
}

/// An app whose only work is the search for primes.
class PrimeAppDelegate: UIResponder, UIApplicationDelegate {
    let search = PrimeSearch(goal: 400)

    func applicationDidBecomeActive(_ application: UIApplication) {
        search.start()
    }
}
