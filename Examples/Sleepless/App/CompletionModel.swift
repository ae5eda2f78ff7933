import ApusBackground
import ApusTimers

/// The screen "Completion": work that is not done when the user leaves. It shows a background task: what the app does with
/// the time that it is given, how it winds up when that is over, and how it continues.
@MainActor
public final class CompletionModel {
    private struct Saved: Codable, Sendable {
        var fibonacci = Fibonacci()
        var isRunning = false
        var story: [CompletionSnapshot.Line] = []
    }

    private static let key = "completion"
    private static let storyLimit = 100
    /// A kill comes without a word. So many numbers have to be computed again then.
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
        // What happens next may be nothing at all.
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

    /// The app holds a task from the first number on: one that is begun when the user leaves may come too late, and costs
    /// nothing before.
    private func claim() {
        guard task == nil, !isWoundUp else { return }
        // When no time is given, the handler is called all the same.
        task = try? host.beginBackgroundTask(named: "fibonacci") { [weak self] in self?.windUp() }
    }

    private func leave() {
        wasAway = true
        guard !isWoundUp else { return }
        let left = host.backgroundTimeRemaining.map { ", \($0.tenths) s left" } ?? ""
        record("in the background at number \(saved.fibonacci.index)\(left)")
        claim()
    }

    /// The time is nearly over: there is about a second for this. The task ends with it.
    private func windUp() {
        endTask()
        // In front, the app runs without one.
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

/// What the screen "Completion" shows.
public struct CompletionSnapshot: Codable, Sendable, Hashable {
    /// Something that happened.
    public struct Line: Codable, Sendable, Hashable {
        /// When.
        public var at: String
        /// What.
        public var text: String
    }

    /// Whether it computes, or will again when it may run.
    public var isRunning: Bool
    /// Which number of the sequence was computed last.
    public var n: Int
    /// That number; of one with 360 digits and more, the first 144 and the last 144, with “…” between them.
    public var value: String
    /// How many digits the whole number has.
    public var digits: Int
    /// Seconds of background time that are left.
    @Nullable public var remaining: Double?
    /// How often the time was up in this process.
    public var expirations: Int
    /// What happened, the earliest first.
    public var story: [Line]
}
