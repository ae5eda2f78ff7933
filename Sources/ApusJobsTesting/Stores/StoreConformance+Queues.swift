import ApusJobs
import ApusTimers

extension StoreConformance {
    /// The checks of queues, and of jobs that are unique by their payload or a key.
    static let queues: [StoreCheck] = [
        StoreCheck(name: "queues come back with every field as they were written last, to the next owner") { factory in
            let store = try await factory.make()
            let first = try await store.open(as: NodeID(rawValue: "conformance"))
            try expectEqual(first.queues, [], "the queues of a new store")
            var mail = JobQueue(
                id: "mail", concurrency: 4, concurrencyPerKey: 2, rate: QueueRate(runs: 10, per: .seconds(60)),
                isPaused: true,
                recentStarts: 3, lastStart: instant(7))
            let plain = JobQueue(id: "a-b.C_9")
            _ = try await store.commit(
                StoreTurn(parts: [], clock: sampleClock(), queues: [mail, plain]), in: first)
            (mail.concurrency, mail.concurrencyPerKey) = (nil, 3)
            (mail.isPaused, mail.recentStarts) = (false, 10)
            _ = try await store.commit(StoreTurn(parts: [], clock: sampleClock(), queues: [mail]), in: first)
            let second = try await store.open(as: NodeID(rawValue: "conformance"))
            try expectEqual(second.queues.sorted { $0.id < $1.id }, [plain, mail], "the queues")
        },
        StoreCheck(name: "the start of a queue's last run moves with the wall clock when it is set") { factory in
            let store = try await factory.make()
            let first = try await store.open(as: NodeID(rawValue: "conformance"))
            let queue = JobQueue(
                id: "mail", rate: QueueRate(runs: 1, per: .seconds(60)), recentStarts: 1, lastStart: instant(7))
            _ = try await store.commit(StoreTurn(parts: [], clock: sampleClock(), queues: [queue]), in: first)
            _ = try await store.commit(
                StoreTurn(parts: [], clock: sampleClock(setBy: .seconds(3_600))), in: first)
            let second = try await store.open(as: NodeID(rawValue: "conformance"))
            try expectEqual(second.queues.map(\.lastStart), [instant(3_607)], "the last start")
            var later = queue
            later.lastStart = instant(3_650)
            let clock = sampleClock(setBy: .seconds(3_600))
            _ = try await store.commit(StoreTurn(parts: [], clock: clock, queues: [later]), in: second)
            let third = try await store.open(as: NodeID(rawValue: "conformance"))
            try expectEqual(third.queues.map(\.lastStart), [instant(3_650)], "one that came after the clock was set")
        },
        StoreCheck(name: "two unique jobs that have not ended cannot have the same kind and payload") {
            factory in
            let opened = try await Opened(factory)
            var first = try await opened.add(unique("a"))
            try await expectError(.conflict, text: "the same payload") { try await opened.add(unique("b")) }
            // These jobs differ from the first job in the kind or the payload, or are not unique by their payload.
            try await opened.add(unique("c", kind: "other"))
            try await opened.add(unique("d", payload: [1, 2]))
            var plain = unique("e")
            plain.request.uniqueness = .identifier
            plain = try await opened.add(plain)
            plain.request.uniqueness = .payload()
            try await expectError(.conflict, text: "a job that becomes the same") {
                try await opened.change(plain, isRequestChanged: true)
            }
            (first.state, first.nextDue) = (.finished, nil)
            first = try await opened.change(first)
            try await opened.add(unique("b"))
            var back = first
            back.state = .suspended
            try await expectError(.conflict, text: "one that comes back") { try await opened.change(back) }
        },
        StoreCheck(name: "two jobs that are unique by a key cannot have the same key, whatever their payloads are") {
            factory in
            let opened = try await Opened(factory)
            func keyed(_ id: String, kind: String = "kind", payload: [UInt8] = [1], key: String = "1") -> Job {
                var job = unique(id, kind: kind, payload: payload)
                job.request.uniqueness = .key(key)
                return job
            }
            func found(_ content: JobUniqueness.Content, after instant: WallInstant? = nil) async throws -> JobID? {
                let reference = JobReference.unique(kind: "kind", content, submittedAfter: instant)
                let loaded = try await opened.store.load([reference])
                return loaded[0]?.job.id
            }
            var first = try await opened.add(keyed("a"))
            try await expectError(.conflict, text: "the same key") { try await opened.add(keyed("b", payload: [2])) }
            // These jobs differ from the first job in the key or the kind, or are unique by a payload with the bytes of
            // a key.
            let second = try await opened.add(keyed("c", key: "2"))
            try await opened.add(keyed("d", kind: "other"))
            try await opened.add(unique("e", payload: Array("1".utf8)))
            try expectEqual(try await found(.key("1")), "a", "the job with the key")
            try expectEqual(try await found(.key("2")), "c", "the one with another key")
            try expectEqual(try await found(.payload(Array("1".utf8))), "e", "the one with the bytes")
            try expectEqual(try await found(.payload([1])), nil, "that of a job with a key")
            var changed = second
            changed.request.uniqueness = .key("1")
            try await expectError(.conflict, text: "a job that gets the key") {
                try await opened.change(changed, isRequestChanged: true)
            }
            (first.state, first.nextDue) = (.finished, nil)
            try await opened.change(first)
            try expectEqual(try await found(.key("1")), nil, "only an ended one")
            try expectEqual(try await found(.key("1"), after: instant(-1_000)), "a", "the ended one")
            try await opened.add(keyed("b", payload: [2]))
        },
        StoreCheck(
            name: "a payload refers to the job that has not ended, or else to the last one submitted after an instant"
        ) {
            factory in
            let opened = try await Opened(factory)
            func found(after instant: WallInstant?, payload: [UInt8] = [1]) async throws -> JobID? {
                let reference = JobReference.unique(kind: "kind", .payload(payload), submittedAfter: instant)
                let loaded = try await opened.store.load([reference])
                return loaded[0]?.job.id
            }
            var plain = unique("plain")
            plain.request.uniqueness = .identifier
            try await opened.add(plain)
            try expectEqual(try await found(after: instant(-1_000)), nil, "a job that does not ask for it")
            for (id, created) in [("a", 10), ("b", 20)] {
                var job = unique(id)
                job.created = instant(Int64(created))
                job = try await opened.add(job)
                try expectEqual(try await found(after: nil), JobID(id), "a job that has not ended")
                (job.state, job.nextDue) = (.cancelled, nil)
                try await opened.change(job)
            }
            try expectEqual(try await found(after: nil), nil, "only ended ones")
            try expectEqual(try await found(after: instant(5)), JobID("b"), "the last one")
            try expectEqual(try await found(after: instant(20)), nil, "none that is younger")
            try expectEqual(try await found(after: instant(5), payload: []), nil, "another payload")
        },
        StoreCheck(name: "a load returns as many jobs of each lane as it allows, and reports the rest") { factory in
            let opened = try await Opened(factory)
            for (number, (queue, priority)) in [
                ("a", .low), ("a", .normal), ("b", .low), ("default", .normal), ("a", .low),
            ].enumerated() as EnumeratedSequence<[(QueueID, JobPriority)]> {
                for (name, trigger) in [("wall", Trigger.at(instant(5))), ("elapsed", .every(.seconds(60)))] {
                    let id = "\(number) \(name)"
                    try await opened.add(
                        sampleJob(id, wake: 10 + Int64(number), trigger: trigger) { request in
                            (request.queue, request.priority, request.kind) = (queue, priority, "k")
                        })
                }
            }
            func lane(_ queue: QueueID, _ priority: JobPriority) -> QueueLane {
                QueueLane(queue, priority, kind: "k")
            }
            func due(_ limit: Int, _ change: (inout JobLoad) -> Void) async throws -> DueJobs {
                var load = JobLoad(through: instant(100), limit: limit)
                change(&load)
                return try await opened.store.due(load, in: opened.session)
            }
            // The waiting jobs of these lanes have reached the lanes' share of the memory.
            let full = [lane("a", .low): 9, lane("default", .normal): 9, lane("c", .urgent): 9]
            func exceptFull(_ load: inout JobLoad) { (load.waiting, load.room, load.largestShare) = (full, 1_000, 9) }
            let all = try await due(10, exceptFull)
            try expectEqual(
                Set(all.jobs.map(\.job.id.rawValue)), ["1 wall", "1 elapsed", "2 wall", "2 elapsed"], "jobs")
            try expectEqual(all.next, nil, "what comes after them")
            try expectEqual(
                all.left, [lane("a", .low): instant(10), lane("default", .normal): instant(13)], "lanes left out")
            let two = try await due(2, exceptFull)
            try expectEqual(Set(two.jobs.map(\.job.id.rawValue)), ["1 wall", "1 elapsed"], "the first two")
            try expectEqual(two.next, instant(12), "what comes after the first two")

            let one = try await due(10) { $0.largestShare = 1 }
            try expectEqual(one.jobs.count, 4, "one of each lane")
            try expectEqual(one.left.count, 4, "each lane has more")
            try expectEqual(one.left[lane("a", .low)], instant(10), "the first that is left in a lane")
            let paused = try await due(10) { ($0.paused, $0.room) = (["a"], 8) }
            try expectEqual(paused.jobs.count, 2 + 4, "one of each lane of a paused queue, two of the others")
            let named = try await due(10) { $0.lanes = [lane("b", .low), lane("d", .low)] }
            try expectEqual(Set(named.jobs.map(\.job.id.rawValue)), ["2 wall", "2 elapsed"], "the named lane's")
            let known = Set(one.jobs.map(\.job.key))
            let rest = try await due(5) { $0.known = known }
            try expectEqual(Set(rest.jobs.map(\.job.key)).intersection(known), [], "what is in memory")
            try expectEqual(rest.jobs.count, 5, "so many others, of all lanes")
            try expectEqual(rest.next, instant(14), "what comes after them")
            let none = try await due(5) { ($0.known, $0.largestShare) = (known, 1) }
            try expectEqual(none.jobs.count, 0, "the first of each lane are in memory")
            try expectEqual(none.left, one.left, "each lane has more")
            let unknown = try await due(10) { ($0.runnable, $0.room) = (RunnableJobs(kinds: []), 8) }
            try expectEqual(unknown.jobs.count, 4, "one of each lane without a handler")
            try expectEqual(unknown.left.count, 4, "the others are left")
        },
    ]

    private static func unique(_ id: String, kind: String = "kind", payload: [UInt8] = [1]) -> Job {
        var job = sampleJob(id)
        (job.request.kind, job.request.payload, job.request.uniqueness) = (kind, payload, .payload())
        return job
    }
}
