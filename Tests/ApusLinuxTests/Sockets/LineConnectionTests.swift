import ApusTimers
import Dispatch
import Foundation
import Testing

@testable import ApusLinux

/// The events of a connection, as a sequence.
private final class Listener: Sendable {
    enum Heard: Equatable, Sendable {
        case connected
        case line(String)
        case tooLong
        case closed
    }

    let heard: AsyncStream<Heard>
    let connection: LineConnection
    let queue = DispatchQueue(label: "test")

    init(_ socket: StreamSocket, isConnected: Bool = true, limit: Int = 1_000_000) {
        let (stream, continuation) = AsyncStream.makeStream(of: Heard.self)
        heard = stream
        connection = LineConnection(socket, isConnected: isConnected, limit: limit, queue: queue) { event in
            switch event {
            case .connected: continuation.yield(.connected)
            case .line(.text(let line)): continuation.yield(.line(line))
            case .line(.tooLong): continuation.yield(.tooLong)
            case .closed:
                continuation.yield(.closed)
                continuation.finish()
            }
        }
    }

    func say(_ line: String) { queue.async { [connection] in connection.send(line) } }
    func hear(_ count: Int) async -> [Heard] { await heard.prefix(count).reduce(into: []) { $0.append($1) } }
}

private func write(_ text: String, to socket: StreamSocket) {
    let bytes = Array(text.utf8)
    #expect(send(socket.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
}

/// Real sockets and real time; the limit is for one that never speaks.
@Suite("A connection of lines", .timeLimit(.minutes(5)))
struct LineConnectionTests {
    @Test("lines arrive in both directions, however they are torn")
    func lines() async throws {
        let (ours, theirs) = try StreamSocket.pair()
        let listener = Listener(ours)
        write("on", to: theirs)
        write("e\r\ntwo\nthr", to: theirs)
        #expect(await listener.hear(2) == [.line("one"), .line("two")])
        write("ee\n", to: theirs)
        #expect(await listener.hear(1) == [.line("three")])
        let other = Listener(theirs)
        listener.say("four")
        #expect(await other.hear(1) == [.line("four")])
    }

    @Test("the last lines before the end arrive, and then the end")
    func end() async throws {
        let (ours, theirs) = try StreamSocket.pair()
        // Everything has been written before the first read, also the end.
        write("one\ntwo\nhalf", to: theirs)
        shutdown(theirs.descriptor, Int32(SHUT_RDWR))
        let listener = Listener(ours)
        #expect(await listener.hear(3) == [.line("one"), .line("two"), .closed])
    }

    @Test("what the other side does not take yet is sent when it does")
    func slowReader() async throws {
        let (ours, theirs) = try StreamSocket.pair()
        let listener = Listener(ours)
        // Far more than a socket holds.
        let line = String(repeating: "a", count: 100_000)
        for number in 0..<40 { listener.say("\(number) " + line) }
        listener.queue.sync {}
        let other = Listener(theirs)
        let heard = await other.hear(40)
        #expect(heard == (0..<40).map { .line("\($0) " + line) })
    }

    @Test("writing to a closed connection is no crash, and the end is reported")
    func writingAfterTheEnd() async throws {
        let (ours, theirs) = try StreamSocket.pair()
        let listener = Listener(ours)
        shutdown(theirs.descriptor, Int32(SHUT_RDWR))
        for _ in 0..<10 { listener.say("hello") }
        #expect(await listener.hear(1) == [.closed])
    }

    @Test("a line without an end does not fill the memory")
    func tooLong() async throws {
        let (ours, theirs) = try StreamSocket.pair()
        let listener = Listener(ours, limit: 10)
        write("0123456789abc\nok\n", to: theirs)
        #expect(await listener.hear(2) == [.tooLong, .line("ok")])
    }

    @Test("after a close on the queue nothing comes, and the other side sees the end")
    func close() async throws {
        let (ours, theirs) = try StreamSocket.pair()
        let listener = Listener(ours)
        let other = Listener(theirs)
        listener.queue.sync {
            write("never heard\n", to: theirs)
            listener.connection.close()
        }
        // The socket goes when its last owner does, and the test's `ours` is one.
        shutdown(ours.descriptor, Int32(SHUT_RDWR))
        #expect(await other.hear(1) == [.closed])
        listener.queue.sync {}
    }

    @Test("a TCP port is connected to by name and by number, and one without a listener is an end")
    func tcp() async throws {
        let server = try ScriptedServer([{ peer in peer.say("hello\n") }])
        let addresses = SocketAddress.resolve(host: "127.0.0.1", port: server.port)
        let listener = Listener(try .connecting(to: try #require(addresses.first)), isConnected: false)
        #expect(await listener.hear(3) == [.connected, .line("hello"), .closed])
        #expect(!SocketAddress.resolve(host: "localhost", port: server.port).isEmpty)
        #expect(SocketAddress.resolve(host: "no such name.invalid", port: 1).isEmpty)

        let closedPort = try ReservedPort()
        let address = try #require(SocketAddress.resolve(host: "127.0.0.1", port: closedPort.number).first)
        let failing = Listener(try .connecting(to: address), isConnected: false)
        #expect(await failing.hear(1) == [.closed])
    }
}
