/// Brings the target of a move to what a reader of the source sees.
struct StoreMoveRound {
    let writer: any StoreMoveImport
    let report: @Sendable (StoreCopy.Progress) -> Void

    /// The most jobs whose runs are looked at in one query.
    private static let jobsOfOneQuery = 50

    func bringUpToDate(with reader: any StoreRows) async throws -> StoreMover.Changes {
        let header = try await reader.header()
        try await writer.add(header)
        let (gone, changed) = try await differences(reader)
        var changes = StoreMover.Changes(jobs: gone.count + changed.count)
        // First all that goes: an identifier may belong to another job by now.
        for keys in Self.chunks(gone, StoreCopy.pageSize) {
            try await writer.removeJobs(keys)
            try await writer.removeRuns(of: keys)
        }
        for keys in Self.chunks(changed, StoreCopy.pageSize) { try await writer.removeJobs(keys) }
        var done = StoreCounts()
        let total = StoreCounts(jobs: changed.count)
        for keys in Self.chunks(changed, StoreCopy.pageSize) {
            try await writer.add(try await reader.jobs(keys))
            for few in Self.chunks(keys, Self.jobsOfOneQuery) {
                changes.runs += try await eachDifference(of: few, reader) { wrong, right in
                    if !wrong.isEmpty { try await writer.removeRuns(wrong) }
                    if !right.isEmpty { try await writer.add(right) }
                }
            }
            done.jobs += keys.count
            report(StoreCopy.Progress(phase: .following, done: done, total: total))
        }
        try await writer.removeSubmissions()
        var sequence: Int64 = 0
        while case let page = try await reader.submissions(after: sequence, limit: StoreCopy.pageSize),
            let last = page.last
        {
            try await writer.add(page)
            sequence = last.sequence
        }
        try await compare(reader, header, changed)
        return changes
    }

    // MARK: Differences

    /// The keys of jobs that only the target has, and of those that are new or not as they were.
    private func differences(_ reader: any StoreRows) async throws -> (gone: [Int64], changed: [Int64]) {
        var (gone, changed): ([Int64], [Int64]) = ([], [])
        var (source, target) = (VersionList(reader), VersionList(writer))
        var (one, other) = (try await source.next(), try await target.next())
        while one != nil || other != nil {
            if let right = one, other.map({ right.key < $0.key }) ?? true {
                changed.append(right.key)
                one = try await source.next()
            } else if let wrong = other, one.map({ wrong.key < $0.key }) ?? true {
                gone.append(wrong.key)
                other = try await target.next()
            } else if let right = one, let old = other {
                if right.version != old.version { changed.append(right.key) }
                (one, other) = (try await source.next(), try await target.next())
            }
        }
        return (gone, changed)
    }

    /// Calls `body` with runs that the target has and should not have, and those that it should have.
    /// - Returns: how many there were of both, those that were changed counted once.
    private func eachDifference(
        of keys: [Int64], _ reader: any StoreRows,
        _ body: (_ wrong: [StoredRun], _ right: [StoredRun]) async throws -> Void
    ) async throws -> Int {
        var (source, target) = (RunList(reader, keys), RunList(writer, keys))
        var (wrong, right): ([StoredRun], [StoredRun]) = ([], [])
        var count = 0
        var (one, other) = (try await source.next(), try await target.next())
        while one != nil || other != nil {
            if let new = one, other.map({ RunPosition(new) < RunPosition($0) }) ?? true {
                right.append(new)
                one = try await source.next()
                count += 1
            } else if let old = other, one.map({ RunPosition(old) < RunPosition($0) }) ?? true {
                wrong.append(old)
                other = try await target.next()
                count += 1
            } else if let new = one, let old = other {
                if Self.checksum(new) != Self.checksum(old) {
                    wrong.append(old)
                    right.append(new)
                    count += 1
                }
                (one, other) = (try await source.next(), try await target.next())
            }
            if wrong.count + right.count >= StoreCopy.pageSize {
                try await body(wrong, right)
                (wrong, right) = ([], [])
            }
        }
        try await body(wrong, right)
        return count
    }

    private static func checksum(_ run: StoredRun) -> StoreChecksum {
        var sum = StoreChecksum()
        sum.add(run)
        return sum
    }

    private static func checksum(_ jobs: [StoredJob]) -> StoreChecksum {
        var sum = StoreChecksum()
        for stored in jobs {
            sum.add(stored.job)
            for run in stored.open { sum.add(run) }
        }
        return sum
    }

    // MARK: Comparing

    /// What was not changed now was compared when it was copied.
    private func compare(_ reader: any StoreRows, _ header: StoreHeader, _ changed: [Int64]) async throws {
        let copy = try await writer.header()
        var (wanted, found) = (StoreChecksum(), StoreChecksum())
        wanted.add(header)
        found.add(copy)
        var isEqual = wanted == found && header.counts == copy.counts
        let left = try await differences(reader)
        isEqual = isEqual && left.gone.isEmpty && left.changed.isEmpty
        for keys in Self.chunks(changed, StoreCopy.pageSize) where isEqual {
            isEqual = Self.checksum(try await reader.jobs(keys)) == Self.checksum(try await writer.jobs(keys))
            for few in Self.chunks(keys, Self.jobsOfOneQuery) where isEqual {
                isEqual = try await eachDifference(of: few, reader) { _, _ in } == 0
            }
        }
        guard isEqual else {
            throw JobError(
                .damaged,
                """
                the target is not as the source after what had changed was copied too (the source has \
                \(Self.text(header.counts)); the target \(Self.text(copy.counts))); run `apus store check` on the \
                source. The target was emptied again
                """)
        }
    }

    private static func text(_ counts: StoreCounts) -> String {
        "\(counts.jobs) jobs, \(counts.openRuns) open and \(counts.runs) ended runs, \(counts.submissions) submissions"
    }

    private static func chunks(_ keys: [Int64], _ size: Int) -> [[Int64]] {
        stride(from: 0, to: keys.count, by: size).map { Array(keys[$0..<min($0 + size, keys.count)]) }
    }
}

/// The versions of one side, page by page.
private struct VersionList {
    private let reader: any StoreRows
    private var page: ArraySlice<JobVersion> = []
    private var last: Int64 = 0
    private var isAtEnd = false

    init(_ reader: any StoreRows) { self.reader = reader }

    mutating func next() async throws -> JobVersion? {
        if page.isEmpty, !isAtEnd {
            page = try await reader.versions(after: last, limit: 10_000)[...]
            last = page.last?.key ?? last
            isAtEnd = page.isEmpty
        }
        return page.popFirst()
    }
}

/// The runs of some jobs of one side, page by page.
private struct RunList {
    private let reader: any StoreRows
    private let keys: [Int64]
    private var page: ArraySlice<StoredRun> = []
    private var last = RunPosition.start
    private var isAtEnd = false

    init(_ reader: any StoreRows, _ keys: [Int64]) {
        self.reader = reader
        self.keys = keys
    }

    mutating func next() async throws -> StoredRun? {
        if page.isEmpty, !isAtEnd {
            page = try await reader.runs(of: keys, after: last, limit: StoreCopy.pageSize)[...]
            last = page.last.map { RunPosition($0) } ?? last
            isAtEnd = page.isEmpty
        }
        return page.popFirst()
    }
}
