#if SQLite
    import ApusJobs
    import ApusSQLite
    import ApusTimers
    import PlatformC

    // Opens the store that the first argument names, prints `open`, and adds jobs from eight tasks without end. It
    // writes the identifier of each job to standard output as soon as the store has acknowledged the job. The tests
    // kill this process while it adds jobs.

    func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        // The line is written in one call and unbuffered, so that it is in the pipe even if the process is killed.
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
