#if SQLite
    extension Schema {
        /// Each part is beside what it is for.
        static let version6 = [String]().joined(separator: "\n")
    }
#endif
