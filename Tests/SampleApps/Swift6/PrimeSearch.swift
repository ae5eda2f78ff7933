import UIKit

/// Searches for prime numbers, and continues for a while when the user leaves the app.
///
/// It differs from the class of the same name in Swift 5 mode:
/// - It belongs to the main actor, because it uses `UIApplication.shared` and is used by the user interface.
/// - The closures of the observers are `@Sendable` for the compiler. They run on the main queue, which they state by
///   `MainActor.assumeIsolated`.
/// - `deinit` is isolated, because the tokens of the observers cannot leave the main actor.
@MainActor
final class PrimeSearch {
    private(set) var primes: [Int] = []
    private(set) var remainingTimes: [TimeInterval] = []
    private(set) var isRunning = false
    private(set) var wasCutShort = false

    private let goal: Int
    private var candidate = 2
    private var observers: [any NSObjectProtocol] = []
    private var backgroundTask = UIBackgroundTaskIdentifier.invalid

    init(goal: Int) {
        self.goal = goal
        let center = NotificationCenter.default
        observers.append(
            center.addObserver(
                forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: .main
            ) { [weak self] _ in MainActor.assumeIsolated { self?.enteredBackground() } })
        observers.append(
            center.addObserver(
                forName: UIApplication.didBecomeActiveNotification, object: nil, queue: .main
            ) { [weak self] _ in MainActor.assumeIsolated { self?.becameActive() } })
    }

    isolated deinit {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
    }

    func start() {
        guard !isRunning else { return }
        isRunning = true
        Task {
            while isRunning, primes.count < goal {
                step()
                await Task.yield()
            }
            isRunning = false
            endBackgroundTask()
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
