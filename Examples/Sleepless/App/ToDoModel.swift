import ApusBackground
import ApusTimers

/// The screen "To do": a clock for each task, one timer for all of them, and a balloon when all tasks are done.
///
/// It demonstrates ``Stopwatch``, a `RepeatingTimer` that also ticks while the user scrolls, and a `FrameTimer`.
@MainActor
public final class ToDoModel {
    private struct Saved: Codable, Sendable {
        struct Task: Codable, Sendable {
            var id: Int
            var title: String
            var isDone: Bool
        }

        var tasks: [Task] = []
        var lastID = 0
    }

    private static let key = "todo"
    private static let taskLimit = 200
    private static let titleLimit = 200

    /// Called with each frame of the balloon, and with `nil` when it is gone.
    public var onFrame: (@MainActor (BalloonSnapshot?) -> Void)?

    private let host: any BackgroundHost
    private let store: any RecordStore
    private let changed: ChangeSignal
    private var saved: Saved
    private var stopwatches: [Int: Stopwatch] = [:]
    private var ticker: RepeatingTimer?
    private var isInFront: Bool
    private var isTicking = false
    private var ticks = 0
    private var balloon: Balloon?

    init(_ services: Services, changed: ChangeSignal) throws {
        host = services.host
        store = services.store
        self.changed = changed
        isInFront = host.phase == .active
        saved = try store.load(Saved.self, for: Self.key) ?? Saved()
        for task in saved.tasks { stopwatches[task.id] = try Self.stopwatch(task.id, host, store) }
        ticker = host.ticker(every: .seconds(1)) { [weak self] in self?.tick() }
        updateTicker()
    }

    /// Adds a task, whose clock starts now.
    @discardableResult
    public func add(_ title: String) throws(AppError) -> Int {
        guard !title.allSatisfy(\.isWhitespace), title.count <= Self.titleLimit else {
            throw AppError(
                .invalid, "`title` is empty or longer than \(Self.titleLimit) characters; pass a line of text")
        }
        guard saved.tasks.count < Self.taskLimit else {
            throw AppError(.invalid, "there are \(Self.taskLimit) tasks, which is the limit; remove some first")
        }
        let id = saved.lastID + 1
        do throws(BackgroundError) {
            let stopwatch = try Self.stopwatch(id, host, store)
            try stopwatch.start()
            stopwatches[id] = stopwatch
        } catch {
            throw AppError(error)
        }
        var next = saved
        next.tasks.append(Saved.Task(id: id, title: title, isDone: false))
        next.lastID = id
        try save(next)
        return id
    }

    /// Marks a task as done and stops its clock; after the last task, the balloon rises.
    public func complete(_ id: Int) throws(AppError) {
        let index = try index(of: id)
        guard !saved.tasks[index].isDone else { return }
        do throws(BackgroundError) { try stopwatches[id]?.pause() } catch { throw AppError(error) }
        var next = saved
        next.tasks[index].isDone = true
        try save(next)
        if next.tasks.allSatisfy(\.isDone) { raiseBalloon() }
    }

    /// Removes a task.
    public func remove(_ id: Int) throws(AppError) {
        let index = try index(of: id)
        do throws(BackgroundError) { try stopwatches[id]?.reset() } catch { throw AppError(error) }
        var next = saved
        next.tasks.remove(at: index)
        try save(next)
        stopwatches[id] = nil
    }

    /// Stops the ticks and the balloon while the app is not in the foreground, because the screen is not visible.
    func entered(_ phase: Phase) {
        isInFront = phase == .active || phase == .inactive
        updateTicker()
        balloon?.isPaused = !isInFront
    }

    func snapshot() -> ToDoSnapshot {
        ToDoSnapshot(
            tasks: saved.tasks.map { task in
                ToDoSnapshot.Item(
                    id: task.id, title: task.title,
                    elapsed: CountdownText.elapsed(stopwatches[task.id]?.elapsed ?? .zero), isDone: task.isDone)
            }, isTicking: isTicking, ticks: ticks, balloon: balloon?.snapshot)
    }

    private func tick() {
        ticks += 1
        changed()
    }

    private func updateTicker() {
        isTicking = isInFront && saved.tasks.contains { !$0.isDone }
        if isTicking { ticker?.resume() } else { ticker?.pause() }
        changed()
    }

    private func raiseBalloon() {
        balloon = Balloon(host: host) { [weak self] snapshot in
            if snapshot == nil { self?.balloon = nil }
            self?.onFrame?(snapshot)
            self?.changed()
        }
        balloon?.isPaused = !isInFront
    }

    private func index(of id: Int) throws(AppError) -> Int {
        guard let index = saved.tasks.firstIndex(where: { $0.id == id }) else {
            throw AppError(.notFound, "there is no task with the `id` \(id)")
        }
        return index
    }

    private func save(_ next: Saved) throws(AppError) {
        do {
            try store.save(next, for: Self.key)
        } catch {
            throw AppError(.storeFailed, "the tasks could not be stored: \(AppError.text(error))")
        }
        saved = next
        updateTicker()
    }

    private static func stopwatch(
        _ id: Int, _ host: any BackgroundHost, _ store: any RecordStore
    ) throws(BackgroundError) -> Stopwatch {
        try Stopwatch(host: host, store: store, key: "todo.\(id)")
    }
}

/// The visible state of the screen "To do".
public struct ToDoSnapshot: Codable, Sendable, Hashable {
    /// A task.
    public struct Item: Codable, Sendable, Hashable {
        /// The identifier of the task.
        public var id: Int
        /// The text of the task.
        public var title: String
        /// The time from the addition of the task until now, or until the task was done.
        public var elapsed: String
        /// Whether the task is done.
        public var isDone: Bool
    }

    /// The tasks, in the order in which they were added.
    public var tasks: [Item]
    /// Whether the clocks are shown running; they stop while no task is open or the app is not in the foreground.
    public var isTicking: Bool
    /// The number of ticks in this process.
    public var ticks: Int
    /// The balloon, while it rises.
    @Nullable public var balloon: BalloonSnapshot?
}
