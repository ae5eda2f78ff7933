#if SQLite
    extension Schema {
        /// Each part is beside what it is for.
        static let version6 = [version6SetAside].joined(separator: "\n")
    }
#endif
