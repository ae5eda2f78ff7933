/// Copies everything in a store into an empty one, and compares the two.
///
/// No scheduler uses the target before the comparison has found it equal.
package struct StoreCopy: Sendable {
    /// The number and the checksum of a table's rows in one store.
    package struct Side: Hashable, Sendable {
        package var rows = 0
        package var checksum = StoreChecksum()
        package init() {}
    }

    /// A table, with its contents in both stores.
    package struct Table: Hashable, Sendable {
        package var name: String
        package var source = Side()
        package var target = Side()
        package init(name: String) { self.name = name }
    }

    /// The progress of a copy.
    package struct Progress: Hashable, Sendable {
        package enum Phase: Hashable, Sendable {
            case copying, comparing
        }
        package var phase: Phase
        /// The numbers of rows that the present phase has read so far: from the source, or from the target for the
        /// comparison.
        package var done: StoreCounts
        package var total: StoreCounts
    }

    /// The largest number of jobs or runs in memory at once.
    ///
    /// It bounds the memory, because a job has at most 64 KiB of payload, and a run at most 128 KiB of output and
    /// result.
    package static let pageSize = 500

    private let source: any CopyableStore
    private let target: any CopyableStore

    package init(from source: any CopyableStore, to target: any CopyableStore) {
        self.source = source
        self.target = target
    }

    /// Copies the store and compares the two.
    ///
    /// - Parameter report: A closure that is called after each page.
    /// - Returns: The tables.
    /// - Throws: ``JobError``; the target is then empty again, or incomplete if it could not be reached any more. No
    ///   scheduler opens an incomplete target, and the next copy begins anew.
    package func run(report: @Sendable (Progress) -> Void) async throws -> [Table] {
        let reader = try await source.beginReading()
        do {
            let writer = try await target.beginWriting()
            do {
                let tables = try await Self.copy(reader, to: writer, report)
                // `finish()` confirms that the source has not changed, before the target becomes valid.
                try await reader.finish()
                try await writer.finish()
                return tables
            } catch {
                await writer.abandon()
                throw error
            }
        } catch {
            try? await reader.finish()
            throw error
        }
    }

    /// Copies everything, and compares the copy with the source.
    private static func copy(
        _ reader: any StoreCopyReader, to writer: any StoreCopyWriter, _ report: @Sendable (Progress) -> Void
    ) async throws -> [Table] {
        let header = try await reader.header()
        try await writer.add(header)
        let read = try await pass(over: reader, .copying, header.counts, to: writer, report)
        let written = try await pass(over: writer, .comparing, header.counts, to: nil, report)
        let tables = zip(read, written).map { read, written in
            var table = Table(name: read.name)
            (table.source, table.target) = (read.side, written.side)
            return table
        }
        try check(tables, header.counts)
        return tables
    }

    private static func check(_ tables: [Table], _ counts: StoreCounts) throws {
        for table in tables where table.source != table.target {
            throw JobError(
                code: .damaged,
                message: """
                    the copy differs from the source in its \(table.name): \(table.source.rows) rows with the checksum \
                    \(table.source.checksum), and \(table.target.rows) with \(table.target.checksum); the target was \
                    emptied again
                    """)
        }
        let found = tables.map(\.source.rows)
        let rest = found.dropFirst().map(String.init).joined(separator: ", ")
        guard found.dropFirst() == [counts.jobs, counts.openRuns, counts.runs, counts.submissions, counts.refusals]
        else {
            throw JobError(
                code: .damaged,
                message: """
                    not all rows of the source could be read: it has \(counts.jobs) jobs, \(counts.openRuns) open and \
                    \(counts.runs) ended runs, \(counts.submissions) submissions and \(counts.refusals) refused ones, \
                    and \(rest) of them were found; run `apus store check`. \
                    The target was emptied again
                    """)
        }
    }

    /// Reads everything, passes it to the writer if there is one, and returns the checksums.
    private static func pass(
        over reader: any StoreCopyReader, _ phase: Progress.Phase, _ total: StoreCounts,
        to writer: (any StoreCopyWriter)?,
        _ report: @Sendable (Progress) -> Void
    ) async throws -> [(name: String, side: Side)] {
        var (settings, jobs, open, runs, submissions, refusals) = (Side(), Side(), Side(), Side(), Side(), Side())
        var done = StoreCounts()
        let header = try await reader.header()
        settings.rows = header.queues.count + (header.clock == nil ? 0 : 1)
        settings.checksum.add(header)
        var key: Int64 = 0
        while true {
            let page = try await reader.jobs(after: key, limit: Self.pageSize)
            guard let last = page.last else { break }
            try await writer?.add(page)
            key = last.job.key
            for stored in page {
                jobs.checksum.add(stored.job)
                for run in stored.open { open.checksum.add(run) }
                open.rows += stored.open.count
            }
            jobs.rows += page.count
            (done.jobs, done.openRuns) = (jobs.rows, open.rows)
            report(Progress(phase: phase, done: done, total: total))
        }
        var sequence: Int64 = 0
        while true {
            let page = try await reader.runs(after: sequence, limit: Self.pageSize)
            guard let last = page.last else { break }
            try await writer?.add(page)
            sequence = last.sequence
            for run in page { runs.checksum.add(run) }
            runs.rows += page.count
            done.runs = runs.rows
            report(Progress(phase: phase, done: done, total: total))
        }
        sequence = 0
        while true {
            let page = try await reader.submissions(after: sequence, limit: Self.pageSize)
            guard let last = page.last else { break }
            try await writer?.add(page)
            sequence = last.sequence
            for submission in page { submissions.checksum.add(submission) }
            submissions.rows += page.count
            done.submissions = submissions.rows
            report(Progress(phase: phase, done: done, total: total))
        }
        sequence = 0
        while true {
            let page = try await reader.refusals(after: sequence, limit: Self.pageSize)
            guard let last = page.last else { break }
            try await writer?.add(page)
            sequence = last.sequence
            for refused in page { refusals.checksum.add(refused) }
            refusals.rows += page.count
            done.refusals = refusals.rows
            report(Progress(phase: phase, done: done, total: total))
        }
        return [
            ("clock and queues", settings), ("jobs", jobs), ("open runs", open), ("ended runs", runs),
            ("submissions", submissions), ("refused submissions", refusals),
        ]
    }
}
