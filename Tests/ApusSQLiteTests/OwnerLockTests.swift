#if SQLite
    import Testing

    @testable import ApusSQLite

    @Suite("The lock's owner, as the kernel describes it")
    struct OwnerLockTests {
        /// A line of /proc/PID/stat: the state is the third field, the flags are the ninth, the pending signals the
        /// 31st.
        private func line(
            name: String = "apus", state: String, flags: UInt64 = 4_194_304, pending: UInt64 = 0
        ) -> String {
            "42 (\(name)) \(state) 1 42 42 0 -1 \(flags) 98 0 0 0 0 0 0 0 20 0 1 0 3614793 3133440 357 99 1 2 3 0 0 "
                + "\(pending) 0 0 0 0 0 0 17 0 0 0 0\n"
        }

        @Test("one that sleeps, runs or was stopped lives", arguments: ["S", "R", "D", "T"])
        func lives(state: String) {
            #expect(!OwnerLock.isEnding(status: line(state: state)))
            #expect(!OwnerLock.isEnding(status: line(state: state, pending: 1 << 14)), "SIGTERM can be caught")
            #expect(!OwnerLock.isEnding(status: line(name: "a) Z b", state: state)))
        }

        @Test("a zombie, one that the kernel takes apart, and one that was just killed are on their way")
        func ends() {
            #expect(OwnerLock.isEnding(status: line(state: "Z")))
            #expect(OwnerLock.isEnding(status: line(state: "R", flags: 4_194_304 | 4)))
            #expect(OwnerLock.isEnding(status: line(name: "odd ) name", state: "R", pending: 1 << 8)))
        }

        @Test("a text that says nothing says nothing", arguments: ["", "42 (apus", "42 (apus) S 1 2"])
        func unknown(text: String) { #expect(!OwnerLock.isEnding(status: text)) }
    }
#endif
