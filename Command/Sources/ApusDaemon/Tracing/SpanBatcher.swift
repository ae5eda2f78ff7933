import ApusClient
import ApusTimers

/// How spans are collected and sent.
struct SpanBatching: Hashable, Sendable {
    /// How many spans wait at most, besides those of the batch that is being sent.
    var queue = 2_048
    /// How many spans a request has at most; not more than `queue`.
    var batch = 512
    /// How long the first span of a batch waits for others.
    var delay: Duration = .seconds(5)
    /// About how long the first pause between two attempts at a batch is. Each next one is twice as long.
    var firstPause: Duration = .seconds(1)
    /// The longest of these pauses.
    var longestPause: Duration = .seconds(30)
    /// How long after its first attempt a batch is tried again. Then its spans are dropped.
    var patience: Duration = .seconds(60)
}

/// What a collector answered to a batch.
enum SpanAnswer: Hashable, Sendable {
    /// It has the batch, but for that many spans, for a reason.
    case accepted(butFor: Int, reason: String)
    /// It does not want the batch.
    case refused(String)
    /// It cannot take the batch now, or cannot be reached; it may say how long to wait.
    case unavailable(String, retryAfter: Duration?)

    static let accepted = SpanAnswer.accepted(butFor: 0, reason: "")
}

/// Decides which spans are sent and when. Pure: its owner has the clock, the timer and the connection.
///
/// | state | spans wait | a batch is out | timer | left by |
/// |---|---|---|---|---|
/// | `idle` | no | no | none | `add`, `stop` |
/// | `collecting` | yes, fewer than a batch | no | end of the delay | `add` of the last one of a batch, `timerFired`, `stop` |
/// | `sending` | maybe | yes | none | `answered`, `stop` |
/// | `pausing` | maybe | yes, for another attempt | end of the pause | `timerFired`, `stop` |
/// | `flushing` | maybe | yes | none | `answered` to the last batch, or without success; `abandon` |
/// | `stopped` | no | no | none | |
///
/// After `stop`, everything that waits is sent without pauses, and the first batch that is not accepted is the last.
///
/// Invariants:
/// - A span that was added is either in the queue, or in the batch that is out, or accepted, or counted as lost; only in one
///   of them, and accepted and lost spans never return.
/// - At most `SpanBatching.queue` spans wait; a span for which there is no room is lost.
/// - There is a timer only while spans wait for it.
struct SpanBatcher<Item: Sendable>: Sendable {
    /// What the owner does after an event, in this order.
    enum Effect {
        /// Send a batch, and call `answered`.
        case send([Item])
        case log(Notice)
        /// All that could be sent was sent.
        case finish
    }

    /// What is logged: only the first problem of several in a row, and their end.
    enum Notice: Hashable, Sendable {
        /// An attempt failed; there will be others.
        case failing(String)
        /// A batch, or a part of it, was refused or given up.
        case lost(Int, String)
        /// Spans are dropped, because so many wait.
        case full(Int)
        /// A batch was accepted again; meanwhile so many were lost.
        case recovered(lost: Int)
        /// The end, with so many lost since the last batch that was accepted.
        case ended(lost: Int)
    }

    private struct Batch {
        var items: [Item]
        var attempts = 1
        var begun: ContinuousInstant
    }

    private enum State {
        case idle
        case collecting(until: ContinuousInstant)
        case sending(Batch)
        case pausing(Batch, until: ContinuousInstant)
        case flushing(Batch)
        case stopped
    }

    /// What was not accepted since a batch was.
    private struct Trouble {
        var lost = 0
        var isReported = false
        var isFullReported = false
    }

    let batching: SpanBatching
    private var state = State.idle
    private var queue: [Item] = []
    private var trouble = Trouble()

    init(_ batching: SpanBatching) {
        precondition(batching.batch >= 1 && batching.batch <= batching.queue, "a batch is a part of the queue")
        self.batching = batching
    }

    /// When `timerFired` is to be called; `nil` for never.
    var timer: ContinuousInstant? {
        switch state {
        case .collecting(let until), .pausing(_, let until): until
        case .idle, .sending, .flushing, .stopped: nil
        }
    }

    // MARK: Events

    /// A span has ended.
    mutating func add(_ item: Item, now: ContinuousInstant) -> [Effect] {
        switch state {
        case .idle, .collecting:
            queue.append(item)
            if queue.count >= batching.batch { return [send(now)] }
            if case .idle = state { state = .collecting(until: now.advanced(by: batching.delay)) }
            return []
        case .sending, .pausing, .flushing:
            if queue.count < batching.queue {
                queue.append(item)
                return []
            }
            trouble.lost += 1
            guard !trouble.isFullReported else { return [] }
            trouble.isFullReported = true
            return [.log(.full(batching.queue))]
        case .stopped:
            return []
        }
    }

    /// The timer's instant may have come. A call that is early or late changes nothing.
    mutating func timerFired(now: ContinuousInstant) -> [Effect] {
        switch state {
        case .collecting(let until) where now >= until: return [send(now)]
        case .pausing(var batch, let until) where now >= until:
            batch.attempts += 1
            state = .sending(batch)
            return [.send(batch.items)]
        case .idle, .collecting, .sending, .pausing, .flushing, .stopped: return []
        }
    }

    /// The collector has answered to the batch that is out. `share`, at random from 0 to 1, spreads the attempts of many
    /// programs. Without effect after `abandon`.
    mutating func answered(_ answer: SpanAnswer, now: ContinuousInstant, share: Double) -> [Effect] {
        switch (state, answer) {
        case (.sending, .accepted(let rejected, let reason)), (.flushing, .accepted(let rejected, let reason)):
            return accepted(butFor: rejected, reason) + next(now)
        case (.sending(let batch), .refused(let reason)):
            return lose(batch.items.count, reason) + next(now)
        case (.sending(let batch), .unavailable(let reason, let least)):
            let pause = max(pause(after: batch.attempts, share: share), least ?? .zero)
            guard batch.begun.duration(to: now) + pause <= batching.patience else {
                return lose(batch.items.count, reason) + next(now)
            }
            state = .pausing(batch, until: now.advanced(by: pause))
            guard !trouble.isReported else { return [] }
            trouble.isReported = true
            return [.log(.failing(reason))]
        case (.flushing, .refused(let reason)), (.flushing, .unavailable(let reason, _)):
            return abandon(reason)
        case (.stopped, _): return []
        case (.idle, _), (.collecting, _), (.pausing, _):
            preconditionFailure("an answer without a batch that is out")
        }
    }

    /// Sends everything that waits, and then finishes. Once.
    mutating func stop(now: ContinuousInstant) -> [Effect] {
        switch state {
        case .idle:
            state = .stopped
            return ended()
        case .collecting:
            let effect = send(now)
            guard case .sending(let batch) = state else { preconditionFailure("what waits is sent") }
            state = .flushing(batch)
            return [effect]
        case .sending(let batch):
            state = .flushing(batch)
            return []
        case .pausing(var batch, _):
            batch.attempts += 1
            state = .flushing(batch)
            return [.send(batch.items)]
        case .flushing, .stopped: return []
        }
    }

    /// After `stop`: drops what has not been accepted, because there is no more time for it.
    mutating func abandon(_ reason: String) -> [Effect] {
        switch state {
        case .flushing(let batch):
            let effects = lose(batch.items.count + queue.count, reason)
            queue = []
            state = .stopped
            return effects + ended()
        case .stopped: return []
        case .idle, .collecting, .sending, .pausing: preconditionFailure("stop comes before")
        }
    }

    // MARK: Steps

    /// A new batch of what waits, oldest first.
    private mutating func send(_ now: ContinuousInstant) -> Effect {
        let items = Array(queue.prefix(batching.batch))
        queue.removeFirst(items.count)
        state = .sending(Batch(items: items, begun: now))
        return .send(items)
    }

    /// The batch that was out has its answer.
    private mutating func next(_ now: ContinuousInstant) -> [Effect] {
        switch state {
        case .flushing:
            guard !queue.isEmpty else {
                state = .stopped
                return ended()
            }
            let effect = send(now)
            guard case .sending(let batch) = state else { preconditionFailure("what waits is sent") }
            state = .flushing(batch)
            return [effect]
        case .sending:
            if queue.count >= batching.batch { return [send(now)] }
            state = queue.isEmpty ? .idle : .collecting(until: now.advanced(by: batching.delay))
            return []
        case .idle, .collecting, .pausing, .stopped: preconditionFailure("no batch is out")
        }
    }

    private mutating func accepted(butFor rejected: Int, _ reason: String) -> [Effect] {
        guard rejected == 0 else { return lose(rejected, reason) }
        defer { trouble = Trouble() }
        return trouble.isReported || trouble.isFullReported ? [.log(.recovered(lost: trouble.lost))] : []
    }

    private mutating func lose(_ count: Int, _ reason: String) -> [Effect] {
        let isFirst = trouble.lost == 0
        trouble.lost += count
        trouble.isReported = true
        return isFirst ? [.log(.lost(count, reason))] : []
    }

    private func ended() -> [Effect] {
        trouble.lost > 0 ? [.log(.ended(lost: trouble.lost)), .finish] : [.finish]
    }

    /// Doubled with each attempt; half of it at random.
    private func pause(after attempts: Int, share: Double) -> Duration {
        let doubled = batching.firstPause * Double(1 << min(attempts - 1, 16))
        return min(doubled, batching.longestPause) * (0.5 + share / 2)
    }
}

extension SpanBatcher {
    /// How many spans wait.
    var waiting: Int { queue.count }

    /// How many spans are in the batch that is out.
    var out: Int {
        switch state {
        case .sending(let batch), .pausing(let batch, _), .flushing(let batch): batch.items.count
        case .idle, .collecting, .stopped: 0
        }
    }

    /// What is wrong with the state, for tests; `nil` if nothing is.
    var brokenInvariant: String? {
        if queue.count > batching.queue { return "\(queue.count) spans wait, more than \(batching.queue)" }
        if out > batching.batch { return "\(out) spans are in a batch, more than \(batching.batch)" }
        switch state {
        case .idle, .stopped: return queue.isEmpty ? nil : "spans wait, and no batch will be sent"
        case .collecting:
            return queue.isEmpty || queue.count >= batching.batch ? "\(queue.count) spans wait for a timer" : nil
        case .sending, .pausing, .flushing: return out > 0 ? nil : "an empty batch is out"
        }
    }
}
