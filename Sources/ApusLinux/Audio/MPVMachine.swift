import ApusBackground
import ApusTimers

/// A queue that mpv plays, as a pure state machine.
///
/// mpv has two items at the most: the current one, and the one after it, so that it goes over without a gap. Everything
/// else is here, so nothing is lost when mpv ends. Going somewhere else replaces what mpv has; what it still says about
/// entries that are not known any more is ignored. mpv answers a command before it reports what follows from it
/// (`client_thread` in mpv's input/ipc-unix.c), so an entry's number is known when the entry starts.
struct MPVMachine {
    enum Action: Equatable {
        /// Start mpv. What is sent next is for this one.
        case launch
        case send(MPVCommand, number: Int)
        /// The `play()` with this number is over.
        case finishPlay(Int, Loss?)
        case report(Report)
    }

    /// Unexpected messages, for the log.
    enum Report: Equatable {
        case skipped(AudioItem, reason: String)
        /// The item is all right, but no sound can come out. It stays the current one.
        case noOutput(AudioItem, reason: String)
        case lost(Loss, wasPlaying: Bool)
    }

    /// Why there is no mpv.
    enum Loss: Equatable {
        case cannotStart(String)
        case ended
        case silent
    }

    /// What mpv has of an item.
    private enum Loaded: Equatable {
        case nothing
        /// The command was sent, and mpv has not answered.
        case requested
        /// Its entries that are not over. A playlist has several.
        case entries(Set<Int>)
        case over
    }

    /// What a command was for.
    private enum Purpose {
        case none
        case current(generation: Int)
        case following(generation: Int)
        case position(generation: Int)
        case play(Int)
    }

    /// What mpv says when the sound device cannot be opened (mpv_error_string in mpv's libmpv).
    private static let noOutput = "audio output initialization failed"

    /// Where paths without a leading slash begin.
    private let directory: String
    private var queue: [AudioItem] = []
    private var isPlaying = false
    private(set) var isRunning = false
    private var current = Loaded.nothing
    private var following = Loaded.nothing
    /// Counts the entries that mpv was sent to load, so that answers about something else are known.
    private var generation = 0
    private var lastNumber = 0
    private var unanswered: [Int: Purpose] = [:]

    /// Whether sound comes out, as far as mpv is concerned.
    private var sounds = false
    private var position = Duration.zero
    private var positionInstant = UptimeInstant(nanoseconds: 0)

    init(directory: String) { self.directory = directory }

    // MARK: What it does

    var state: AudioState {
        AudioState(current: queue.first, isPlaying: isPlaying, upcoming: Array(queue.dropFirst()))
    }

    /// Whether mpv owes an answer.
    var awaitsAnswer: Bool { !unanswered.isEmpty }

    func position(now: UptimeInstant) -> Duration {
        isPlaying && sounds ? position + max(.zero, positionInstant.duration(to: now)) : position
    }

    // MARK: The app

    mutating func setQueue(_ items: [AudioItem], now: UptimeInstant) -> [Action] {
        isPlaying = false
        queue = items
        return forgetLoaded(now: now)
    }

    mutating func play(_ number: Int, now: UptimeInstant) -> [Action] {
        guard !queue.isEmpty, !isPlaying else { return [.finishPlay(number, nil)] }
        move(to: position, now: now)
        isPlaying = true
        var actions: [Action] = []
        if !isRunning {
            isRunning = true
            actions += [.launch, send(.observeCoreIdle)]
        }
        if case .nothing = current { actions += load(from: position) }
        return actions + [send(.setPause(false), .play(number)), askPosition()]
    }

    mutating func pause(now: UptimeInstant) -> [Action] {
        guard isPlaying else { return [] }
        move(to: position(now: now), now: now)
        isPlaying = false
        return isRunning ? [send(.setPause(true)), askPosition()] : []
    }

    mutating func next(now: UptimeInstant) -> [Action] {
        guard !queue.isEmpty else { return [] }
        queue.removeFirst()
        guard isPlaying, !queue.isEmpty else {
            isPlaying = false
            return forgetLoaded(now: now)
        }
        move(to: .zero, now: now)
        return load(from: .zero)
    }

    // MARK: mpv

    mutating func received(_ message: MPVMessage, now: UptimeInstant) -> [Action] {
        switch message {
        case .answer(let number, let result):
            guard let purpose = unanswered.removeValue(forKey: number) else { return [] }
            return answered(purpose, result, now: now)
        case .started(let entry): return started(entry, now: now)
        case .ended(let entry, let end): return ended(entry, end, now: now)
        case .coreIdle(let isIdle):
            move(to: position(now: now), now: now)
            sounds = !isIdle
            return [askPosition()]
        case .restarted: return [askPosition()]
        }
    }

    /// mpv is gone, or does not come. The item and its position are kept.
    mutating func lost(_ loss: Loss, now: UptimeInstant) -> [Action] {
        guard isRunning else { return [] }
        move(to: position(now: now), now: now)
        let report = Action.report(.lost(loss, wasPlaying: isPlaying))
        let plays = unanswered.values.compactMap { if case .play(let number) = $0 { number } else { nil } }
        (isRunning, isPlaying, sounds) = (false, false, false)
        (current, following) = (.nothing, .nothing)
        unanswered = [:]
        return [report] + plays.sorted().map { .finishPlay($0, loss) }
    }

    private mutating func answered(_ purpose: Purpose, _ result: MPVMessage.Result, now: UptimeInstant) -> [Action] {
        switch purpose {
        case .none: return []
        case .play(let number): return [.finishPlay(number, nil)]
        case .current(generation):
            switch result {
            case .entry(let entry):
                current = .entries([entry])
                return []
            case .done, .position, .failed:
                return skipped(queue[0], result) + currentIsOver(now: now)
            }
        case .following(generation):
            switch result {
            case .entry(let entry):
                following = .entries([entry])
                return []
            case .done, .position, .failed:
                let item = queue.remove(at: 1)
                following = .nothing
                let rest = loadFollowing()
                return skipped(item, result) + rest + (current == .over ? currentIsOver(now: now) : [])
            }
        case .position(generation):
            if case .position(let position) = result { move(to: position, now: now) }
            return []
        case .current, .following, .position: return []
        }
    }

    private mutating func started(_ entry: Int, now: UptimeInstant) -> [Action] {
        guard case .entries(let entries) = following, entries.contains(entry) else { return [] }
        queue.removeFirst()
        current = following
        move(to: .zero, now: now)
        return loadFollowing()
    }

    private mutating func ended(_ entry: Int, _ end: MPVMessage.End, now: UptimeInstant) -> [Action] {
        guard case .entries(var entries) = current, entries.remove(entry) != nil else { return [] }
        var actions: [Action] = []
        switch end {
        case .played, .stopped: break
        case .replaced(let others): entries.formUnion(others)
        case .failed(Self.noOutput):
            let position = position(now: now)
            isPlaying = false
            actions = [.report(.noOutput(queue[0], reason: Self.noOutput))] + forgetLoaded(now: now)
            move(to: position, now: now)
            return actions
        case .failed(let reason): actions = [.report(.skipped(queue[0], reason: reason))]
        }
        current = .entries(entries)
        return entries.isEmpty ? actions + currentIsOver(now: now) : actions
    }

    /// The current item is over. If mpv has another one, it says so when that starts.
    private mutating func currentIsOver(now: UptimeInstant) -> [Action] {
        current = .over
        guard following == .nothing else { return [] }
        queue = []
        isPlaying = false
        current = .nothing
        move(to: .zero, now: now)
        return []
    }

    // MARK: Commands to mpv

    private mutating func load(from start: Duration) -> [Action] {
        generation += 1
        current = .requested
        following = .nothing
        let load = send(.load(file(queue[0]), start: start), .current(generation: generation))
        return [load] + loadFollowing()
    }

    private mutating func loadFollowing() -> [Action] {
        following = queue.count > 1 ? .requested : .nothing
        return queue.count > 1 ? [send(.append(file(queue[1])), .following(generation: generation))] : []
    }

    /// Nothing is loaded from now on, and the position is the beginning.
    private mutating func forgetLoaded(now: UptimeInstant) -> [Action] {
        generation += 1
        let hasLoaded = current != .nothing
        (current, following) = (.nothing, .nothing)
        move(to: .zero, now: now)
        return isRunning && hasLoaded ? [send(.stop)] : []
    }

    private mutating func askPosition() -> Action { send(.getPosition, .position(generation: generation)) }

    private mutating func send(_ command: MPVCommand, _ purpose: Purpose = .none) -> Action {
        lastNumber += 1
        unanswered[lastNumber] = purpose
        return .send(command, number: lastNumber)
    }

    private mutating func move(to position: Duration, now: UptimeInstant) {
        self.position = position
        positionInstant = now
    }

    private func skipped(_ item: AudioItem, _ result: MPVMessage.Result) -> [Action] {
        let reason = if case .failed(let reason) = result { reason } else { "mpv did not say which entry it is" }
        return [.report(.skipped(item, reason: reason))]
    }

    /// mpv runs in another directory.
    private func file(_ item: AudioItem) -> MPVCommand.AudioFile {
        let isComplete = item.source.unicodeScalars.first == "/" || item.source.contains("://")
        return MPVCommand.AudioFile(
            source: isComplete ? item.source : directory + "/" + item.source, title: item.title)
    }
}
