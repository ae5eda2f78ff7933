import ApusBackground
import ApusTimers

/// The screen "Completion": work that is not finished when the user leaves.
///
/// It demonstrates a background task: the app uses the time that it is given, ends the task in time, and continues the
/// work later.
@MainActor
public final class CompletionModel {
    private struct Saved: Codable, Sendable {
        var fibonacci = Fibonacci()
        var isRunning = false
        var story: [CompletionSnapshot.Line] = []
    }

    private static let key = "completion"
    private static let storyLimit = 100
    /// The number of Fibonacci numbers that are computed between two saves.
    ///
    /// A kill comes without a warning, and then at most this many numbers are computed again.
    private static let savedEvery = 20

    private let host: any BackgroundHost
    private let store: any RecordStore
    private let changed: ChangeSignal
    private var saved: Saved
    private var timer: RepeatingTimer?
    private var task: BackgroundTask?
    private var expirations = 0
    private var isWoundUp = false
    private var wasAway = false

    init(_ services: Services, changed: ChangeSignal) throws {
        host = services.host
        store = services.store
        self.changed = changed
        saved = try store.load(Saved.self, for: Self.key) ?? Saved()
        timer = host.ticker(every: .milliseconds(500)) { [weak self] in self?.compute() }
        if saved.isRunning {
            record("launched again at number \(saved.fibonacci.index)")
            claim()
            timer?.resume()
        }
    }

    /// Computes from the beginning, a number every half second.
    public func start() throws(AppError) {
        saved = Saved(isRunning: true)
        record("started")
        try save()
        isWoundUp = false
        timer?.pause()
        timer = host.ticker(every: .milliseconds(500)) { [weak self] in self?.compute() }
        timer?.resume()
        claim()
    }

    /// Stops computing.
    public func stop() throws(AppError) {
        guard saved.isRunning else { return }
        saved.isRunning = false
        record("stopped at number \(saved.fibonacci.index)")
        timer?.pause()
        endTask()
        try save()
    }

    func entered(_ phase: Phase) {
        guard saved.isRunning else { return }
        switch phase {
        case .background: leave()
        case .suspended: record("was suspended")
        case .active: resume()
        case .inactive, .terminated: break
        }
        // The app may not get another opportunity to run.
        saveWhatIsThere()
    }

    func snapshot() -> CompletionSnapshot {
        CompletionSnapshot(
            isRunning: saved.isRunning, n: saved.fibonacci.index, value: saved.fibonacci.value,
            digits: saved.fibonacci.digitCount, remaining: host.backgroundTimeRemaining?.seconds,
            expirations: expirations, story: saved.story)
    }

    private func compute() {
        guard saved.isRunning, !isWoundUp else { return }
        saved.fibonacci.advance()
        if saved.fibonacci.index.isMultiple(of: Self.savedEvery) { saveWhatIsThere() }
        changed()
    }

    /// Begins a background task, unless one is open or the time in the background is already over.
    ///
    /// This is done when the work begins, because it may be too late when the user leaves. Until then, the task costs
    /// nothing.
    private func claim() {
        guard task == nil, !isWoundUp else { return }
        // If the host gives no time, it also calls the handler.
        task = try? host.beginBackgroundTask(named: "fibonacci") { [weak self] in self?.windUp() }
    }

    private func leave() {
        wasAway = true
        guard !isWoundUp else { return }
        let left = host.backgroundTimeRemaining.map { ", \($0.tenths) s left" } ?? ""
        record("in the background at number \(saved.fibonacci.index)\(left)")
        claim()
    }

    /// Ends the task when its time is nearly over, and stops the work if the app is in the background.
    ///
    /// The system allows about a second for this.
    private func windUp() {
        endTask()
        // In the foreground, the app runs without a task.
        guard host.phase == .background else { return }
        isWoundUp = true
        expirations += 1
        timer?.pause()
        record("time is up at number \(saved.fibonacci.index)")
        saveWhatIsThere()
    }

    private func resume() {
        if wasAway { record("in front again at number \(saved.fibonacci.index)") }
        (wasAway, isWoundUp) = (false, false)
        claim()
        timer?.resume()
    }

    private func endTask() {
        task?.end()
        task = nil
    }

    private func record(_ text: String) {
        saved.story.append(CompletionSnapshot.Line(at: host.stamp, text: text))
        if saved.story.count > Self.storyLimit { saved.story.removeFirst() }
        changed()
    }

    private func save() throws(AppError) {
        do {
            try store.save(saved, for: Self.key)
        } catch {
            throw AppError(.storeFailed, "the position could not be stored: \(AppError.text(error))")
        }
    }

    private func saveWhatIsThere() {
        do throws(AppError) { try save() } catch { record(error.message) }
    }
}

/// The visible state of the screen "Completion".
public struct CompletionSnapshot: Codable, Sendable, Hashable {
    /// An event in the story.
    public struct Line: Codable, Sendable, Hashable {
        /// The instant of the event.
        public var at: String
        /// The text of the event.
        public var text: String
    }

    /// Whether the app computes, or will compute again as soon as it may run.
    public var isRunning: Bool
    /// The index of the last computed number of the sequence.
    public var n: Int
    /// The last number; if it has 360 digits or more, its first 144 and last 144 digits, with “…” between them.
    public var value: String
    /// The number of digits of the whole number.
    public var digits: Int
    /// The remaining background time in seconds.
    @Nullable public var remaining: Double?
    /// The number of expirations in this process.
    public var expirations: Int
    /// The events, the earliest first.
    public var story: [Line]
}
