#if SQLite
    public import ApusTimers
    public import Logging

    extension SQLiteStore {
        /// How a store keeps its file.
        public struct Configuration: Sendable {
            /// What a commit survives. `.full` by default.
            public var durability: Durability
            /// How long the store waits, at most, for another program (a person with a SQL prompt) to release the file.
            /// 5 s by default.
            public var busyTimeout: Duration
            /// What the owner is called in the error that a second owner gets. The program's name by default.
            public var ownerName: String
            /// Dates what is submitted in applications' transactions. The machine's clocks by default.
            public var time: any TimeSource
            /// Where the store says what it did: opening, migrating, closing.
            public var logger: Logger

            /// For tests: called on the writer's thread before each commit.
            package var beforeCommit: (@Sendable () -> Void)?

            /// A configuration; each argument left out has its default.
            public init(
                durability: Durability = .full,
                busyTimeout: Duration = .seconds(5),
                ownerName: String? = nil,
                time: any TimeSource = SystemTime(),
                logger: Logger = Logger(label: "apus.sqlite")
            ) {
                self.durability = durability
                self.busyTimeout = busyTimeout
                self.ownerName = ownerName ?? OwnerLock.programName
                self.time = time
                self.logger = logger
            }
        }

        /// What a commit survives.
        public struct Durability: Hashable, Sendable, CustomStringConvertible {
            private enum Level: String { case full, relaxed }
            private var level: Level

            /// The loss of power: each commit is synced to the disk before it is answered.
            public static let full = Durability(level: .full)
            /// The end of the process, but not the loss of power: the newest commits may be gone then. Many times
            /// faster for single commits.
            public static let relaxed = Durability(level: .relaxed)

            /// The level's name.
            public var description: String { level.rawValue }
            /// SQLite's word for it.
            var synchronous: String { level == .full ? "FULL" : "NORMAL" }
        }
    }
#endif
