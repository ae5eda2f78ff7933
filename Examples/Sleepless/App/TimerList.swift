import ApusBackground

/// The rows of the screen "Timer", and what became of the last timers: a pure value.
struct TimerList {
    private struct Row {
        let timer: BackgroundTimers.ID
        /// As the screen shows it, but for the next run.
        var shown: TimerSnapshot.Row
    }

    static let rowLimit = 100
    private static let endedLimit = 20

    private var rows: [Row] = []
    private var ended: [TimerSnapshot.Ended] = []
    private var vibrations = 0
    /// The number of the next row.
    private(set) var nextID = 1

    var isFull: Bool { rows.count >= Self.rowLimit }

    /// The timer of a row; nil when it has ended.
    func timer(_ id: Int) -> BackgroundTimers.ID? { rows.first { $0.shown.id == id }?.timer }

    mutating func add(_ timer: BackgroundTimers.ID, delay: Double, repeat interval: Double?) {
        let shown = TimerSnapshot.Row(id: nextID, delay: delay, repeat: interval, count: 0, next: nil)
        rows.append(Row(timer: timer, shown: shown))
        nextID += 1
    }

    /// A timer's work was done.
    mutating func ran(_ id: Int) {
        guard let index = rows.firstIndex(where: { $0.shown.id == id }) else { return }
        rows[index].shown.count += 1
        vibrations += 1
    }

    mutating func happened(_ event: BackgroundTimers.Event, at stamp: String) {
        switch event {
        case .executed(let timer, willRepeat: false): end(timer, "executed", stamp)
        case .cancelled(let timer): end(timer, "cancelled", stamp)
        // They stay: when the app runs again, they continue.
        case .expired(let timers): for timer in timers { note(timer, "expired", stamp) }
        case .executed, .handedOver: break
        }
    }

    /// What the screen shows.
    ///
    /// - Parameter next: When a timer runs next, for the screen.
    /// - Returns: The rows, in the order in which the timers were started, and what became of the last ones.
    func snapshot(next: (BackgroundTimers.ID) -> String?) -> TimerSnapshot {
        let shown = rows.map { row in
            var shown = row.shown
            shown.next = next(row.timer)
            return shown
        }
        return TimerSnapshot(rows: shown, vibrations: vibrations, ended: ended)
    }

    private mutating func end(_ timer: BackgroundTimers.ID, _ what: String, _ stamp: String) {
        note(timer, what, stamp)
        rows.removeAll { $0.timer == timer }
    }

    private mutating func note(_ timer: BackgroundTimers.ID, _ what: String, _ stamp: String) {
        guard let row = rows.first(where: { $0.timer == timer }) else { return }
        ended.append(TimerSnapshot.Ended(id: row.shown.id, what: what, at: stamp))
        if ended.count > Self.endedLimit { ended.removeFirst() }
    }
}
