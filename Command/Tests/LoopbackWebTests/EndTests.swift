import ApusTestSupport
import ApusTimers
import PlatformC
import Synchronization
import Testing

@Suite("The end of a listener", .timeLimit(.minutes(10)))
struct EndTests {
    @Test("a client that connects while the listener ends is refused or answered, without a trap")
    func connectingMeanwhile() async throws {
        for _ in 1...20 {
            let crowd = Crowd()
            try await WebUnderTest.with { web in
                for _ in 1...4 { crowd.begin(connectingTo: web.port) }
                try await until("connections") { crowd.connections > 20 }
            }
            await crowd.end()
        }
    }

    /// Connects repeatedly, and closes each connection at once.
    private final class Crowd: Sendable {
        private let count = Atomic(0)
        private let tasks = Locked<[Task<Void, Never>]>([])

        var connections: Int { count.load(ordering: .relaxed) }

        func begin(connectingTo port: Int) {
            let task = Task.detached { [self] in
                while !Task.isCancelled {
                    if Self.connects(to: port) { count.wrappingAdd(1, ordering: .relaxed) }
                    await Task.yield()
                }
            }
            tasks.withLock { $0.append(task) }
        }

        func end() async {
            let all = tasks.withLock { $0 }
            for task in all { task.cancel() }
            for task in all { await task.value }
        }

        private static func connects(to port: Int) -> Bool {
            let descriptor = socket(AF_INET, streamSocket, 0)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            return withUnsafeBytes(of: &address) { bytes in
                connect(descriptor, bytes.bindMemory(to: sockaddr.self).baseAddress, socklen_t(bytes.count)) == 0
            }
        }
    }
}
