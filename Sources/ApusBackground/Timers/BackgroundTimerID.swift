extension BackgroundTimer {
    /// Names a scheduled timer, uniquely among all those whose hosts share an engine.
    public struct ID: Hashable, Sendable, Comparable, CustomStringConvertible {
        let number: UInt64

        /// The earlier one was scheduled earlier, if one thread scheduled both.
        public static func < (lhs: ID, rhs: ID) -> Bool { lhs.number < rhs.number }

        /// The number, for logs.
        public var description: String { "\(number)" }
    }
}
