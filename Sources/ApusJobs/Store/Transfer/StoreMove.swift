/// A move of everything that a store keeps into another one; see ``StoreMover``.
package struct StoreMove: Hashable, Sendable {
    /// Random; both stores keep it.
    package var id: String
    /// What the stores are called, without a password.
    package var source: String
    package var target: String

    package init(id: String, source: String, target: String) {
        self.id = id
        self.source = source
        self.target = target
    }
}

/// That a store's jobs were moved. No scheduler opens a store with it.
package struct StoreMoveMark: Hashable, Sendable {
    package var move: StoreMove
    /// Whether it is known that the target has the jobs. Until then, only the target knows.
    package var isSettled: Bool

    package init(_ move: StoreMove, isSettled: Bool) {
        self.move = move
        self.isSettled = isSettled
    }
}

/// A job's key and version: each change of the job or of a run of it raises the version.
package struct JobVersion: Hashable, Sendable {
    package var key: Int64
    package var version: Int64

    package init(key: Int64, version: Int64) {
        self.key = key
        self.version = version
    }
}

/// A place in the list of runs that is ordered by job and sequence.
package struct RunPosition: Hashable, Sendable, Comparable {
    package var job: Int64
    package var sequence: Int64

    /// Before all runs.
    package static let start = RunPosition(job: 0, sequence: 0)

    package init(job: Int64, sequence: Int64) {
        self.job = job
        self.sequence = sequence
    }

    package init(_ run: StoredRun) { self.init(job: run.run.jobKey, sequence: run.sequence) }

    package static func < (one: Self, other: Self) -> Bool {
        one.job == other.job ? one.sequence < other.sequence : one.job < other.job
    }
}

/// Finds what has changed.
package protocol StoreRows: StoreExport {
    /// The jobs after one with that key, ordered by key; at most `limit`.
    func versions(after key: Int64, limit: Int) async throws -> [JobVersion]
    /// The jobs with those keys that are there, ordered by key.
    func jobs(_ keys: [Int64]) async throws -> [StoredJob]
    /// The runs of those jobs that are over, after a position, ordered by position; at most `limit`.
    func runs(of keys: [Int64], after position: RunPosition, limit: Int) async throws -> [StoredRun]
}

/// A store that is moved away while it is in use.
package protocol MoveSource: Sendable {
    /// What an earlier move has left.
    func mark() async throws -> StoreMoveMark?
    /// Begins to read one state of the store, while other processes change it.
    func beginSnapshot() async throws -> any StoreRows
    /// Begins to read the store as its owner: no other process writes until it ends, applications included.
    /// - Throws: ``JobError`` with `owned`, naming the owner.
    func beginHandOver() async throws -> any StoreHandOver
}

/// The end of a move, as the source sees it. It ends with ``settle(_:)``, or with `finish()`, which changes nothing.
package protocol StoreHandOver: StoreRows {
    /// Marks the store as one that was moved, durably; whether it counts, the target knows. Nothing is read any more.
    func mark(_ move: StoreMove) async throws
    /// Says of the mark, durably, that it counts, or removes it.
    func settle(_ isMoved: Bool) async throws
}

/// A store that others are moved into.
package protocol MoveTarget: Sendable {
    /// As `beginWriting()` of ``StoreTransfer``.
    func beginMove() async throws -> any StoreMoveImport
    /// Whether the move has counted. No attempt at it that began earlier can count after the answer.
    func has(_ move: StoreMove) async throws -> Bool
}

/// Writes everything, and then what has changed.
package protocol StoreMoveImport: StoreImport, StoreRows {
    /// Removes jobs with their open runs, not those that are over.
    func removeJobs(_ keys: [Int64]) async throws
    /// Removes all runs that are over of those jobs.
    func removeRuns(of keys: [Int64]) async throws
    func removeRuns(_ runs: [StoredRun]) async throws
    func removeSubmissions() async throws
    /// As `finish()`, and notes in the same transaction that the move counts.
    func finish(_ move: StoreMove) async throws
}
