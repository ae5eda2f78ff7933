#if SQLite
    import ApusJobs
    import ApusSQLite
    import ApusTimers
    import PlatformC

    // Opens the store named by the first argument, says so, and adds jobs from eight tasks without end, writing the
    // identifier of each to standard output as soon as it has been acknowledged. The tests kill it in the middle of
    // that.

    func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        // One call, unbuffered: what was said is in the pipe when the process is killed.
        if write(STDOUT_FILENO, bytes, bytes.count) != bytes.count { exit(3) }
    }

    let store = SQLiteStore(path: CommandLine.arguments[1], configuration: .init(ownerName: "probe"))
    let session = try await store.open(as: NodeID(rawValue: "probe"))
    say("open")
    let start = WallInstant(secondsSince1970: 1_767_225_600)
    let clock = StoreClock(bootID: nil, wallOffset: .zero, elapsedOffset: .zero)
    try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<8 {
            group.addTask {
                for number in 0..<1_000_000 {
                    let id = JobID("job.\(task).\(number)")
                    let job = Job(
                        request: JobRequest(id: id, trigger: .at(start)), state: .scheduled, created: start,
                        updated: start,
                        firstDue: start,
                        nextDue: start, wake: start)
                    let turn = StoreTurn(parts: [[JobChange(expected: .absent, job: job)]], clock: clock)
                    _ = try await store.commit(turn, in: session)[0].get()
                    say(id.rawValue)
                }
            }
        }
        try await group.waitForAll()
    }
#endif
