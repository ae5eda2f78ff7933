import ApusLinux
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite("The other end of a socket")
struct PeerCredentialsTests {
    @Test("the kernel names the user and the process of a Unix socket's other end")
    func pair() throws {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let peer = try PeerCredentials(ofSocket: ends[0])
        #expect(peer.userID == getuid())
        #expect(peer.processID == getpid())
    }

    @Test("what is not a connected Unix socket has no known other end")
    func notASocket() {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        #expect(throws: PeerError.self) { try PeerCredentials(ofSocket: ends[0]) }
        #expect(throws: PeerError.self) { try PeerCredentials(ofSocket: -1) }
        let unconnected = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(unconnected) }
        #expect(throws: PeerError.self) { try PeerCredentials(ofSocket: unconnected) }
    }
}
