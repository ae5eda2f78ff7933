import Synchronization

extension BackgroundTimer {
    /// Names a scheduled timer, uniquely within the process.
    public struct ID: Hashable, Sendable, Comparable, CustomStringConvertible {
        let number: UInt64

        private static let last = Atomic<UInt64>(0)

        static func next() -> ID { ID(number: last.wrappingAdd(1, ordering: .relaxed).newValue) }

        /// The earlier one was scheduled earlier, if one thread scheduled both.
        public static func < (lhs: ID, rhs: ID) -> Bool { lhs.number < rhs.number }

        /// The number, for logs.
        public var description: String { "\(number)" }
    }
}
