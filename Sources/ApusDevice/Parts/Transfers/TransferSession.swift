import ApusBackground
import ApusTimers

/// One task of a session: a pure state machine. Instants are nanoseconds of uptime, unless their type says
/// otherwise.
struct TransferEntry {
    enum Stage: Equatable {
        /// The app has not resumed it, or has suspended it.
        case held
        /// It has to wait.
        case waiting
        /// The server was asked, and has not answered.
        case asked
        /// Bytes go over the network; up to that instant they are counted.
        case moving(since: UInt64)
        case ended
    }

    private(set) var record: TransferRecord
    private(set) var stage = Stage.held
    /// Whether it is at the system's discretion: it was resumed in the background.
    private(set) var isBegunInBackground = false
    /// Because the system has resumed the app too often.
    var notBefore: ContinuousInstant?
    /// When it has to be over.
    private(set) var deadline: ContinuousInstant?
    private var reply: TransferReply?
    /// How long bytes have gone over the network.
    private var spent: UInt64 = 0
    private var reported: Int64 = 0

    /// How much data that the test has not given a task takes in memory: a choice.
    private static let mostZeros: Int64 = 1 << 30

    init(_ record: TransferRecord) { self.record = record }

    var hasEnded: Bool { stage == .ended }
    /// The bytes whose number the delegate gets.
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

    /// Brings the counts up to `now`.
    mutating func count(_ now: UInt64) {
        guard case .moving(let since) = stage, let reply else { return }
        stage = .moving(since: now)
        let whole = reply.nanoseconds(for: record.request)
        spent = min(whole, spent + (now - since))
        guard reply.failure == nil else { return }
        let toSend = record.request.bytesToSend
        let bytes = reply.bytes > .max - toSend ? .max : reply.bytes + toSend
        let isOver = spent == whole
        let moved = isOver ? bytes : Int64(Double(bytes) * (Double(spent) / Double(whole)))
        record.sent = isOver ? record.request.bytesToSend : min(moved, record.request.bytesToSend)
        record.received = isOver ? reply.bytes : max(0, min(reply.bytes, moved - record.request.bytesToSend))
    }

    mutating func pause(now: UInt64) {
        guard case .moving = stage else { return }
        count(now)
        stage = .waiting
    }

    /// Nothing is in the way. True if the server has to be asked first.
    mutating func proceed(now: UInt64) -> Bool {
        guard stage == .waiting else { return false }
        stage = reply == nil ? .asked : .moving(since: now)
        return stage == .asked
    }

    /// The server has answered.
    mutating func answered(_ reply: TransferReply, now: UInt64) {
        guard stage == .asked else { return }
        self.reply = reply
        record.expectedToReceive = reply.failure == nil ? reply.bytes : nil
        stage = .moving(since: now)
    }

    /// When everything is transferred, if nothing comes in between.
    var end: UInt64? {
        guard case .moving(let since) = stage, let reply else { return nil }
        let left = reply.nanoseconds(for: record.request) - spent
        return since.addingReportingOverflow(left).overflow ? .max : since + left
    }

    /// What was transferred since it was reported last, if anything.
    mutating func takeProgress() -> TransferEvent? {
        guard moved > reported else { return nil }
        defer { reported = moved }
        return .progress(record, moved - reported)
    }

    /// Everything is transferred, or the server has failed.
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

/// What the system keeps of a session. That of a background session outlives the app's processes.
struct TransferSession {
    var settings = TransferSettings()
    /// Whether the process has a session object for it.
    var isOpen = false
    /// Whether it is over when the last task has ended.
    var isInvalidated = false
    /// By their numbers, including those whose end was not reported.
    var entries: [Int: TransferEntry] = [:]
    private var lastNumber = 0
    var events: [TransferEvent] = []
    /// The last task has ended, and the app does not know it.
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
        // The app is not resumed to learn that it was suspended.
        let isNews = events.contains { event in
            if case .completed(let record) = event {
                record.failure != .backgroundSessionWasDisconnected
            } else {
                false
            }
        }
        if !new.isEmpty, isNews, haveAllEnded, !settings.isOrdinary { needsNotice = true }
    }

    /// The session object goes with the process; its pending events stay, except how far the tasks were.
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
