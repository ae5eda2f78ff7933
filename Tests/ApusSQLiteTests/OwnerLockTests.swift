#if SQLite
    import Testing

    @testable import ApusSQLite

    @Suite("The lock's owner, as the kernel describes it")
    struct OwnerLockTests {
        /// Returns a line of /proc/PID/stat.
        ///
        /// The third field is the state, the ninth has the flags, and the 31st has the pending signals.
        private func line(
            name: String = "apus", state: String, flags: UInt64 = 4_194_304, pending: UInt64 = 0
        ) -> String {
            "42 (\(name)) \(state) 1 42 42 0 -1 \(flags) 98 0 0 0 0 0 0 0 20 0 1 0 3614793 3133440 357 99 1 2 3 0 0 "
                + "\(pending) 0 0 0 0 0 0 17 0 0 0 0\n"
        }

        @Test("a sleeping, running or stopped process is alive", arguments: ["S", "R", "D", "T"])
        func lives(state: String) {
            #expect(!OwnerLock.isEnding(status: line(state: state)))
            #expect(!OwnerLock.isEnding(status: line(state: state, pending: 1 << 14)), "SIGTERM can be caught")
            #expect(!OwnerLock.isEnding(status: line(name: "a) Z b", state: state)))
        }

        @Test("a zombie, an exiting process and a killed process are ending")
        func ends() {
            #expect(OwnerLock.isEnding(status: line(state: "Z")))
            #expect(OwnerLock.isEnding(status: line(state: "R", flags: 4_194_304 | 4)))
            #expect(OwnerLock.isEnding(status: line(name: "odd ) name", state: "R", pending: 1 << 8)))
        }

        @Test("an unreadable status does not count as ending", arguments: ["", "42 (apus", "42 (apus) S 1 2"])
        func unknown(text: String) { #expect(!OwnerLock.isEnding(status: text)) }
    }
#endif
