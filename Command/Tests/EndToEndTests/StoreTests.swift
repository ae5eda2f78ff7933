import ApusClient
import ApusDaemon
import Foundation
import Testing

@Suite("A daemon whose jobs are not in its home's own file", .timeLimit(.minutes(10)))
struct StoreTests {
    @Test("a home has one daemon, whatever store a second one would use, and the error names the first")
    func oneDaemonOfAHome() async throws {
        try await ApusUnderTest.with { apus in
            let elsewhere = "sqlite:\(apus.home.path)/elsewhere.db"
            let first = try await apus.startDaemon([StoreLocation.variable: elsewhere])
            for store in ["sqlite:\(apus.home.path)/third.db", apus.home.databasePath] {
                let answer = try await apus("serve", "--store", store)
                #expect(answer.code == 1, "\(answer)")
                #expect(answer.err.contains(apus.home.path) && answer.err.contains("process \(first)"), "\(answer)")
            }
            #expect(try await apus.client.health().store == "\(apus.home.path)/elsewhere.db")
            #expect(!FileManager.default.fileExists(atPath: apus.home.path + "/third.db"))
            #expect(try await apus("stop").code == 0)
            try await apus.startDaemon([StoreLocation.variable: apus.home.databasePath])
        }
    }

    @Test("a daemon without the home's earlier store refuses to start, and creates no empty one")
    func remembered() async throws {
        try await ApusUnderTest.with { apus in
            let elsewhere = apus.home.path + "/elsewhere.db"
            try await apus.startDaemon([StoreLocation.variable: elsewhere])
            _ = try await apus("after", "1h", "--name", "kept", "--", "true")
            #expect(try await apus("status").out.contains("store \(elsewhere)"))
            #expect(try await apus("stop").code == 0)
            for words in [["list"], ["serve"]] {
                let answer = try await apus.call(words)
                #expect(answer.code != 0 && answer.err.contains("are in \(elsewhere): set APUS_STORE"), "\(answer)")
            }
            #expect(!FileManager.default.fileExists(atPath: apus.home.databasePath))
            let kept = try await apus("list", environment: [StoreLocation.variable: elsewhere])
            #expect(kept.out.contains("kept"), "\(kept)")
            #expect(try await apus("stop").code == 0)
            let back = try await apus("list", environment: [StoreLocation.variable: apus.home.databasePath])
            #expect(back.code == 0 && !back.out.contains("kept"), "\(back)")
            #expect(try await apus("stop").code == 0)
            #expect(try await apus("list").code == 0, "the home's own file is the store again")
        }
    }

    @Test("listing nodes of a store for one machine says that there are none")
    func noNodes() async throws {
        try await ApusUnderTest.with { apus in
            let answer = try await apus("nodes")
            #expect(answer.code == 0 && answer.out.isEmpty, "\(answer)")
            #expect(
                answer.err.contains("this daemon is alone: its store, \(apus.home.databasePath), is for one machine"),
                "\(answer)")
            let nodes: WireNodes = try await apus.json("nodes", "--json")
            #expect(nodes == WireNodes(shared: false, nodes: []))
        }
    }

    @Test("the demonstration does not use the database of APUS_STORE")
    func demonstration() async throws {
        try await ApusUnderTest.with { apus in
            let answer = try await apus("demo", environment: [StoreLocation.variable: "sqlite:/nowhere/jobs.db"])
            #expect(answer.code == 0, "\(answer)")
        }
    }

    @Test("the systemd unit names the store and never contains a password")
    func unit() async throws {
        try await ApusUnderTest.with { apus in
            let answer = try await apus("install", "--print", environment: [StoreLocation.variable: "/srv/jobs.db"])
            #expect(answer.out.contains(#"Environment="APUS_STORE=/srv/jobs.db""#), "\(answer)")
            let store = "postgres://ann:hunter2@db/jobs"
            let refused = try await apus("install", "--print", environment: [StoreLocation.variable: store])
            #expect(refused.code == 64 && refused.err.contains("~/.pgpass"), "\(refused)")
            #expect(!(refused.out + refused.err).contains("hunter2"))
        }
    }
}
