import ApusBackground
import ApusTimers

/// One task of a session: a pure state machine.
///
/// Instants are nanoseconds of uptime, unless their type says otherwise.
struct TransferEntry {
    enum Stage: Equatable {
        /// The app has not resumed the task, or has suspended it.
        case held
        /// The task waits until no obstacle is left.
        case waiting
        /// The server was asked, and has not answered yet.
        case asked
        /// Bytes are transferred; they are counted up to this instant.
        case moving(since: UInt64)
        case ended
    }

    private(set) var record: TransferRecord
    private(set) var stage = Stage.held
    /// Whether the task was resumed in the background, so that the system chooses its time.
    private(set) var isBegunInBackground = false
    /// The instant before which the task must not run, because the system has resumed the app too often; `nil` for
    /// none.
    var notBefore: ContinuousInstant?
    /// The instant by which the task must have ended.
    private(set) var deadline: ContinuousInstant?
    private var reply: TransferReply?
    /// The time for which bytes were transferred.
    private var spent: UInt64 = 0
    private var reported: Int64 = 0

    /// The size, in bytes, of the largest answer of zeros that is kept in memory for a task without a file.
    ///
    /// The value is a choice.
    private static let mostZeros: Int64 = 1 << 30

    init(_ record: TransferRecord) { self.record = record }

    var hasEnded: Bool { stage == .ended }
    /// The number of bytes that is reported as progress: received bytes for a download, otherwise sent bytes.
    private var moved: Int64 { record.request.kind == .download ? record.received : record.sent }

    // MARK: The app

    mutating func setNote(_ note: String?) { record.note = note }
    mutating func setEarliestBegin(_ instant: WallInstant?) { record.earliestBegin = instant }

    mutating func resume(isInFront: Bool, notBefore: ContinuousInstant?, limit: UInt64, now: ClockReading) {
        guard stage == .held else { return }
        stage = .waiting
        record.state = .running
        isBegunInBackground = !isInFront
        self.notBefore = notBefore
        deadline = deadline ?? now.continuous.advanced(by: .nanoseconds(Int64(clamping: limit)))
    }

    mutating func suspend(now: UInt64) {
        guard !hasEnded else { return }
        count(now)
        stage = .held
        record.state = .suspended
    }

    // MARK: The transfer

    /// Updates the numbers of transferred bytes to `now`.
    mutating func count(_ now: UInt64) {
        guard case .moving(let since) = stage, let reply else { return }
        stage = .moving(since: now)
        let whole = reply.nanoseconds(for: record.request)
        spent = min(whole, spent + (now - since))
        guard reply.failure == nil else { return }
        let toSend = record.request.bytesToSend
        let skipped = min(record.request.bytesToSkip, reply.bytes)
        let toReceive = reply.bytes - skipped
        let bytes = toReceive > .max - toSend ? .max : toReceive + toSend
        let isOver = spent == whole
        let moved = isOver ? bytes : Int64(Double(bytes) * (Double(spent) / Double(whole)))
        record.sent = isOver ? record.request.bytesToSend : min(moved, record.request.bytesToSend)
        record.received = isOver ? reply.bytes : skipped + max(0, min(toReceive, moved - record.request.bytesToSend))
    }

    mutating func pause(now: UInt64) {
        guard case .moving = stage else { return }
        count(now)
        stage = .waiting
    }

    /// Continues the task because no obstacle is left; returns true if the server must be asked first.
    mutating func proceed(now: UInt64) -> Bool {
        guard stage == .waiting else { return false }
        stage = reply == nil ? .asked : .moving(since: now)
        return stage == .asked
    }

    /// Begins the transfer, because the server has answered; returns `resumed` for a download that continues an
    /// earlier one.
    mutating func answered(_ reply: TransferReply, now: UInt64) -> TransferEvent? {
        guard stage == .asked else { return nil }
        self.reply = reply
        record.expectedToReceive = reply.failure == nil ? reply.bytes : nil
        stage = .moving(since: now)
        let skipped = min(record.request.bytesToSkip, reply.bytes)
        guard reply.failure == nil, skipped > 0 else { return nil }
        (record.received, reported) = (skipped, skipped)
        return .resumed(record)
    }

    /// The instant at which the transfer will be complete; `nil` if no bytes are being transferred.
    var end: UInt64? {
        guard case .moving(let since) = stage, let reply else { return nil }
        let left = reply.nanoseconds(for: record.request) - spent
        return since.addingReportingOverflow(left).overflow ? .max : since + left
    }

    /// Returns the progress since the last report; `nil` if there was none.
    mutating func takeProgress() -> TransferEvent? {
        guard moved > reported else { return nil }
        defer { reported = moved }
        return .progress(record, moved - reported)
    }

    /// Ends the task because the transfer is complete or the server has failed, and returns the events.
    mutating func finish() -> [TransferEvent] {
        guard !hasEnded, let reply else { return [] }
        if let failure = reply.failure { return fail(failure) }
        let isInMemory = record.request.kind != .download
        if isInMemory, reply.bytes > Self.mostZeros, reply.contents == nil { return fail(.dataLengthExceedsMaximum) }
        record.status = reply.status
        let progress = takeProgress()
        end(.completed)
        let contents: TransferEvent? =
            switch record.request.kind {
            case .download: .downloaded(record, reply.contents)
            case .data, .upload: reply.bytes > 0 ? .received(record, reply.contents) : nil
            }
        return [progress, contents, .completed(record)].compactMap(\.self)
    }

    mutating func fail(_ failure: TransferFailure, isForceQuit: Bool = false) -> [TransferEvent] {
        guard !hasEnded else { return [] }
        (record.failure, record.isForceQuit) = (failure, isForceQuit)
        end(.completed)
        return [.completed(record)]
    }

    private mutating func end(_ state: TransferRecord.State) {
        stage = .ended
        record.state = state
    }
}

/// The state of a session, which for a background session outlives the app's processes.
struct TransferSession {
    var settings = TransferSettings()
    /// Whether the app's process has an object for the session.
    var isOpen = false
    /// Whether the session ends with its last task.
    var isInvalidated = false
    /// The tasks by their numbers, including those whose end the app does not know yet.
    var entries: [Int: TransferEntry] = [:]
    private var lastNumber = 0
    var events: [TransferEvent] = []
    /// Whether the last task has ended and the app has not been notified of it yet.
    var needsNotice = false

    var numbers: [Int] { entries.keys.sorted() }
    var haveAllEnded: Bool { entries.values.allSatisfy(\.hasEnded) }

    mutating func add(_ request: TransferRequest) -> TransferRecord {
        lastNumber += 1
        let record = TransferRecord(lastNumber, request)
        entries[lastNumber] = TransferEntry(record)
        return record
    }

    mutating func append(_ new: [TransferEvent]) {
        events += new
        // A task that failed because the app was suspended is no reason to resume the app.
        let isNews = events.contains { event in
            if case .completed(let record) = event {
                record.failure != .backgroundSessionWasDisconnected
            } else {
                false
            }
        }
        if !new.isEmpty, isNews, haveAllEnded, !settings.isOrdinary { needsNotice = true }
    }

    /// Closes the session of the ended process; its pending events are kept, except those of progress.
    mutating func processEnded() {
        isOpen = false
        events.removeAll { if case .progress = $0 { true } else { false } }
    }

    mutating func takeEvent() -> TransferEvent? {
        guard !events.isEmpty else { return nil }
        let event = events.removeFirst()
        if case .completed(let record) = event { entries[record.number] = nil }
        if events.isEmpty { needsNotice = false }
        return event
    }
}
