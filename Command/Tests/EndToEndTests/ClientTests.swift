import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation
import Testing

@Suite("The client", .timeLimit(.minutes(10)))
struct ClientTests {
    private static let submission = WireSubmission(
        name: "once", trigger: WireTrigger(after: "PT1H"), action: Action(notify: "x"))

    /// A daemon's answer to the submission.
    private static let job = """
        {"id":"abc234","name":"once","kind":"action","state":"scheduled","trigger":{"after":"PT1H"},\
        "action":{"notify":"x"},"policies":{},"created":"2026-01-01T00:00:00.000Z","nextDue":null,"remainingMs":null,\
        "waitingFor":null,"occurrences":0,"missed":0,"lastRun":null,"labels":{},"queue":"default","priority":"normal"}
        """

    private static func keys(_ daemon: FakeDaemon) throws -> [String?] {
        try daemon.bodies.map { try JSONDecoder().decode(WireSubmission.self, from: Data($0.utf8)).idempotencyKey }
    }

    @Test(
        "an unanswered submission is sent again with the same key, and the error says how to repeat it",
        arguments: [FakeDaemon.Behaviour.isSilent, .answersHalf, .closes])
    func noAnswer(behaviour: FakeDaemon.Behaviour) async throws {
        try await ApusUnderTest.with { apus in
            let daemon = FakeDaemon(behaviour)
            try await daemon.serve(apus.home) {
                // Each request must arrive within the client's patience, also on a busy machine.
                let client = DaemonClient(home: apus.home, patience: .seconds(2))
                let error = await #expect(throws: DaemonError.self) { try await client.submit(Self.submission) }
                #expect(error?.code == .noAnswer, "\(String(describing: error))")
                try await until("the second request") { daemon.bodies.count == 2 }
                let keys = try Self.keys(daemon)
                let key = try #require(keys.first ?? nil)
                #expect(keys == [key, key] && key.count == 32)
                #expect(error?.message.contains("--idempotency-key \(key)") == true)
            }
        }
    }

    @Test(
        "a submission whose first answer is lost or too slow succeeds with the second one",
        arguments: [FakeDaemon.Behaviour.isSilent, .answersHalf, .closes])
    func secondAnswer(behaviour: FakeDaemon.Behaviour) async throws {
        try await ApusUnderTest.with { apus in
            let daemon = FakeDaemon(behaviour, .answers(Self.job))
            try await daemon.serve(apus.home) {
                // The second answer must come within the client's patience too.
                let client = DaemonClient(home: apus.home, patience: .seconds(2))
                #expect(try await client.submit(Self.submission).id == "abc234")
                let keys = try Self.keys(daemon)
                #expect(keys.count == 2 && keys[0] == keys[1])
            }
        }
    }

    @Test("each submission has its own key, and a given key is kept")
    func keys() async throws {
        try await ApusUnderTest.with { apus in
            let daemon = FakeDaemon(.answers(Self.job))
            try await daemon.serve(apus.home) {
                _ = try await apus.client.submit(Self.submission)
                _ = try await apus.client.submit(Self.submission)
                let answer = try await apus("after", "1h", "--notify", "x", "--idempotency-key", "mine")
                #expect(answer.code == 0, "\(answer)")
                let keys = try Self.keys(daemon)
                #expect(keys[0] != keys[1] && keys[2] == "mine")
            }
        }
    }

    @Test("an unanswered change is not repeated")
    func changes() async throws {
        try await ApusUnderTest.with { apus in
            let daemon = FakeDaemon(.closes)
            try await daemon.serve(apus.home) {
                let error = await #expect(throws: DaemonError.self) { try await apus.client.cancel("abc234") }
                #expect(error?.code == .noAnswer && daemon.bodies.count == 1)
            }
        }
    }

    @Test("a change does not use a connection that the daemon may have closed, and is sent once")
    func closedBefore() async throws {
        try await ApusUnderTest.with { apus in
            let daemon = FakeDaemon(.answersOnce(Self.job))
            try await daemon.serve(apus.home) {
                _ = try await apus.client.job("abc234")
                _ = try await apus.client.suspend("abc234")
                _ = try await apus.client.cancel("abc234")
                #expect(daemon.bodies.count == 3)
            }
        }
    }

    @Test("a read is repeated over a new connection, however many the daemon has closed")
    func allClosedBefore() async throws {
        try await ApusUnderTest.with { apus in
            let daemon = FakeDaemon(.answersOnce(Self.job))
            try await daemon.serve(apus.home) {
                for _ in 0..<8 {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for _ in 0..<16 {
                            group.addTask { _ = try await apus.client.job("abc234") }
                        }
                        try await group.waitForAll()
                    }
                }
                #expect(daemon.bodies.count == 128)
            }
        }
    }

    @Test("a command reports a daemon that does not answer, and starts no second one")
    func startsNone() async throws {
        try await ApusUnderTest.with { apus in
            let daemon = FakeDaemon(.closes)
            try await daemon.serve(apus.home) {
                for arguments in [["after", "1h", "--", "true"], ["cancel", "abc234"], ["list"]] {
                    let answer = try await apus.call(arguments)
                    #expect(answer.code == 1 && answer.err.contains("lost before it answered"), "\(answer)")
                    #expect(!answer.err.contains("started a daemon"), "\(answer)")
                }
            }
        }
    }

    /// Creates a socket without a listener.
    private func leaveSocket(at path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
    }

    @Test("only a socket that nothing listens on means that no daemon runs")
    func nothingListens() async throws {
        try await ApusUnderTest.with { apus in
            let missing = await #expect(throws: DaemonError.self) { try await apus.client.health() }
            #expect(missing?.code == .notRunning)
            // The home has the files that a killed daemon leaves.
            try apus.home.prepare()
            try leaveSocket(at: apus.home.socketPath)
            let refused = await #expect(throws: DaemonError.self) { try await apus.client.health() }
            #expect(refused?.code == .notRunning)
        }
    }
}
