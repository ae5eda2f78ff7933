import ApusTimers

/// Places in queues whose limits hold for several schedulers.
///
/// The store gives places, and takes them back, so that all schedulers together have no more than the queue allows. This
/// scheduler asks when it needs more or fewer than it has, and every ``patience`` while jobs wait: the answer also
/// shows that others wait, by getting fewer than it has. Runs in progress keep their places.
extension QueueBoard {
    static let patience: Duration = .milliseconds(250)

    /// What the store is to be asked for now.
    func uses(_ now: UptimeInstant) -> [QueueUse] {
        if !isShared { return [] }
        return lines.keys.sorted().compactMap { id in
            let line = lines[id]!
            guard let places = line.places, line.starting == 0 else { return nil }
            let isWaiting = line.count > 0 && !line.queue.isPaused
            let wanted = isWaiting ? line.running + line.count : line.running
            let mayAsk = line.nextAsk.map { $0 <= now } ?? true
            let isNeeded = isWaiting ? mayAsk : line.hasTooMany(places) || line.hasTooFew(places) && mayAsk
            guard isNeeded || line.arePlacesDoubtful else { return nil }
            return QueueUse(
                queue: id, running: line.running, wanted: min(wanted, max(line.queue.concurrency ?? .max, line.running))
            )
        }
    }

    /// When the store is asked next, if nothing happens before.
    func nextAsk(_ now: UptimeInstant) -> UptimeInstant? {
        if !isShared { return nil }
        if !uses(now).isEmpty { return now }
        return lines.values.compactMap { line in
            let isWaiting = line.count > 0 && !line.queue.isPaused
            return isWaiting || line.places.map { line.hasTooFew($0) } ?? false ? line.nextAsk : nil
        }.min()
    }

    mutating func take(_ given: [QueuePlaces], _ now: ClockReading) {
        for given in given {
            let had = lines[given.queue.id]?.places ?? 0
            adopt(given.queue, now)
            guard let line = lines[given.queue.id], line.places != nil else { continue }
            line.places = given.places ?? 0
            line.arePlacesDoubtful = false
            line.nextAsk = now.uptime.advanced(by: Self.patience)
            // What others have begun meanwhile is known from the store.
            if had == 0, line.running == 0, line.queue.rate != nil { line.starts = restored(given.queue, now) }
        }
    }

    /// The store was asked, and did not answer: it may have taken places back. Nothing begins in these queues until it
    /// has answered.
    mutating func placesAreUnknown(_ queues: [QueueID]) {
        for line in queues.compactMap({ lines[$0] }) {
            guard let places = line.places else { continue }
            line.places = min(places, line.running)
            line.arePlacesDoubtful = true
        }
    }

    /// Another scheduler may have changed the settings of the queue.
    mutating func adopt(_ queue: JobQueue, _ now: ClockReading) {
        let known = self.queue(queue.id)
        guard (known.concurrency, known.isPaused) != (queue.concurrency, queue.isPaused) || known.rate != queue.rate
        else { return }
        configure(queue, now)
    }

    /// As above, and the store has noted so many places. What it noted before its last answer only costs a question.
    mutating func adopt(_ queue: JobQueue, noted: Int, _ now: ClockReading) {
        adopt(queue, now)
        guard let line = lines[queue.id], let places = line.places else { return }
        if noted != (queue.rate == nil ? places : min(places, 1)) { line.arePlacesDoubtful = true }
    }
}

extension QueueBoard.Line {
    /// Places that no run has. The one place of a queue with a rate is needed as long as anything runs.
    fileprivate func hasTooMany(_ places: Int) -> Bool {
        queue.rate == nil ? places > running : places > 0 && running == 0
    }

    /// The limit is newer than the runs, which the others have to know of.
    fileprivate func hasTooFew(_ places: Int) -> Bool { places < running }
}
