import ApusClient
import ApusTestSupport
import Foundation
import Testing

@Suite("Queues at the terminal", .timeLimit(.minutes(10)))
struct QueueTests {
    @Test(
        "a queue's limit holds, can be raised while jobs wait, and survives a crash of the daemon",
        arguments: StoreUnderTest.allCases)
    func limit(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store, patience: "10s") { apus in
            let daemon = try await apus.startDaemon()
            #expect(try await apus("queue", "list").err.contains("no queue has limits"))
            #expect(try await apus("queue", "limit", "builds", "1").out == "builds: at most 1 at once\n")
            #expect(try await apus("queue", "rate", "builds", "100/1m").out.contains("at most 100 in 1m"))
            let release = apus.home.path + "/release"
            for _ in 1...3 {
                _ = try await apus(
                    "after", "10ms", "--queue", "builds", "--shell", "--",
                    "until [ -e \(release) ]; do sleep 0.05; done")
            }
            try await until("one that runs") {
                let queue = try await apus.client.queues().queues.first { $0.name == "builds" }
                return queue?.running == 1 && queue?.waiting == 2
            }
            let line = try await apus("queue", "list").out.split(separator: "\n").last
            #expect(line?.split(separator: " ") == ["builds", "1", "-", "100/1m", "1", "2", "open"], "\(line ?? "")")
            let raised: WireQueue = try await apus.json("queue", "limit", "builds", "3", "--json")
            #expect(raised.concurrency == 3 && raised.rate == WireRate(runs: 100, per: "PT1M"))
            try await until("all that run") {
                try await apus.client.queues().queues.first { $0.name == "builds" }?.running == 3
            }
            kill(daemon, SIGKILL)
            try await until("the daemon's end") { !isAlive(daemon) }
            try Data().write(to: URL(filePath: release))
            let after: WireQueues = try await apus.json("queue", "list", "--json")
            #expect(after.queues.first { $0.name == "builds" }?.concurrency == 3)
            let unlimited = try await apus("queue", "limit", "builds", "none")
            #expect(unlimited.out == "builds: at most 100 in 1m\n", "\(unlimited)")
            let none = try await apus("queue", "rate", "builds", "none")
            #expect(none.out == "builds: no limits\n", "\(none)")
        }
    }

    @Test(
        "no job of a paused queue begins, and the highest priority goes first when it is resumed",
        arguments: StoreUnderTest.allCases)
    func pauseAndPriority(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            #expect(try await apus("queue", "pause", "mail").out == "mail: paused\n")
            #expect(try await apus("queue", "limit", "mail", "1").out == "mail: paused, at most 1 at once\n")
            for priority in ["low", "urgent"] {
                _ = try await apus(
                    "after", "10ms", "--name", priority, "--queue", "mail", "--priority", priority, "--", "true")
            }
            try await until("both that wait") {
                try await apus.client.queues().queues.first { $0.name == "mail" }?.waiting == 2
            }
            let why = try await apus("why", "low")
            #expect(why.code == 0 && why.out.contains("the queue \"mail\" is paused"), "\(why)")
            #expect(try await apus("show", "urgent").out.contains("queue        mail, priority urgent"))
            #expect(try await apus("queue", "resume", "mail").out == "mail: at most 1 at once\n")
            try await until("both runs") { try await apus.allRuns().count { $0.outcome == "succeeded" } == 2 }
            let names = try await apus.client.jobs().jobs.reduce(into: [:]) { $0[$1.id] = $1.name }
            let order = try await apus.allRuns().sorted { ($0.started ?? "") < ($1.started ?? "") }
            #expect(order.map { names[$0.job] } == ["urgent", "low"])
        }
    }

    @Test(
        "a job's fairness key and a queue's limit per key are shown, and each limit can be removed alone",
        arguments: StoreUnderTest.allCases)
    func fairness(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            let limited = try await apus("queue", "limit", "mail", "2", "--per-key")
            #expect(limited.out == "mail: at most 2 at once per fairness key\n", "\(limited)")
            let both = try await apus("queue", "limit", "mail", "4")
            #expect(both.out == "mail: at most 4 at once, at most 2 at once per fairness key\n", "\(both)")
            let list: WireQueues = try await apus.json("queue", "list", "--json")
            let mail = try #require(list.queues.first { $0.name == "mail" })
            #expect(mail.concurrency == 4 && mail.concurrencyPerKey == 2)
            let line = try await apus("queue", "list").out.split(separator: "\n").last
            #expect(line?.split(separator: " ") == ["mail", "4", "2", "-", "0", "0", "open"], "\(line ?? "")")
            let unlimited: WireQueue = try await apus.json("queue", "limit", "mail", "none", "--per-key", "--json")
            #expect(unlimited.concurrency == 4 && unlimited.concurrencyPerKey == nil)

            _ = try await apus(
                "after", "1h", "--name", "keyed", "--queue", "mail", "--fairness-key", "acme", "--", "true")
            _ = try await apus("after", "1h", "--name", "other", "--queue", "mail", "--", "true")
            #expect(try await apus.json("show", "keyed", "--json", as: WireJob.self).fairnessKey == "acme")
            #expect(try await apus.json("show", "other", "--json", as: WireJob.self).fairnessKey == nil)
            #expect(try await apus("show", "keyed").out.contains("fairness key acme\n"))
            #expect(try await !apus("show", "other").out.contains("fairness key"))
        }
    }

    @Test(
        "an invalid limit, rate or name of a queue is refused with the accepted forms",
        arguments: [
            (["limit", "q", "0"], "whole number from 1 to 100000, or none"),
            (["limit", "q", "many"], "whole number from 1 to 100000, or none"),
            (["rate", "q", "5"], "100/1m"), (["rate", "q", "5/soon"], "1h30m"), (["rate", "q", "0/1m"], "100/1m"),
            (["rate", "q", "100001/1m"], "100000"), (["pause", "not a name"], "queue: must be 1 to 64"),
            (["limit", "q", "100001"], "100000"), (["limit", "q", "0", "--per-key"], "whole number from 1 to 100000"),
        ])
    func refused(words: [String], expected: String) async throws {
        try await ApusUnderTest.with { apus in
            let answer = try await apus.call(["queue"] + words)
            #expect(answer.code == 64 && answer.err.contains(expected), "\(words): \(answer)")
        }
    }
}
