#if Postgres
    extension StoreSchema {
        /// Each part is beside what it is for.
        static let version4: [String] = version4SetAside
    }
#endif
