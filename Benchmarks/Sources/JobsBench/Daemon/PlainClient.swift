import Foundation

/// The cheapest client of the daemon's socket.
///
/// It has one thread, assembles requests by hand, and reads only the necessary part of the answers. The client must be
/// cheap, because it shares the machine's processors with the daemon: for a submission, `DaemonClient` uses more
/// processor time than the daemon itself.
final class PlainClient {
    private struct Connection {
        var descriptor: Int32
        var received: [UInt8] = []
    }

    private var connections: [Connection] = []
    /// The first part of each idempotency key, which differs from that of other clients; a number follows.
    private let name = UInt64.random(in: .min ... .max)
    private var number = 0

    struct Failure: Error, CustomStringConvertible { var description: String }

    init(socketPath: String, connections: Int) throws {
        for _ in 0..<connections { self.connections.append(Connection(descriptor: try Self.connect(to: socketPath))) }
    }

    deinit { for connection in connections { close(connection.descriptor) } }

    /// Submits this number of jobs, on all connections at once, and returns when each has its answer.
    func submit(_ jobs: Int) throws {
        var sent = 0
        var answered = 0
        for index in connections.indices where sent < jobs {
            try send(on: index)
            sent += 1
        }
        var polled = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 8192)
        while answered < jobs {
            guard poll(&polled, nfds_t(polled.count), -1) >= 0 || errno == EINTR else { throw Self.failure("poll") }
            for index in connections.indices where polled[index].revents != 0 {
                let count = read(connections[index].descriptor, &buffer, buffer.count)
                guard count > 0 else { throw Self.failure("read") }
                connections[index].received += buffer[..<count]
                guard try hasAnswer(connections[index].received) else { continue }
                connections[index].received.removeAll(keepingCapacity: true)
                answered += 1
                guard sent < jobs else { continue }
                try send(on: index)
                sent += 1
            }
        }
    }

    /// Sends the same submission as ``SocketSubmissions`` does with `DaemonClient`.
    private func send(on index: Int) throws {
        number += 1
        let body = """
            {"name":"job \(number)","trigger":{"after":"P1D"},"action":{"command":{"argv":["true"],"shell":false,\
            "cwd":"/","env":{}}},"labels":{"team":"birds"},"idempotencyKey":"\(name)-\(number)"}
            """
        let request = """
            POST /v1/jobs HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)
            """
        var bytes = Array(request.utf8)
        guard write(connections[index].descriptor, &bytes, bytes.count) == bytes.count else {
            throw Self.failure("write")
        }
    }

    /// Returns whether this is a complete answer, which must have the status 201.
    private func hasAnswer(_ received: [UInt8]) throws -> Bool {
        guard let head = Self.end(of: "\r\n\r\n", in: received) else { return false }
        guard received.starts(with: "HTTP/1.1 201 ".utf8), let length = Self.end(of: "Content-Length: ", in: received),
            let count = Int(String(decoding: received[length...].prefix { $0 != 13 }, as: UTF8.self))
        else { throw Failure(description: "the daemon answered \(String(decoding: received, as: UTF8.self))") }
        return received.count - head >= count
    }

    private static func end(of text: String, in bytes: [UInt8]) -> Int? {
        let text = Array(text.utf8)
        return bytes.indices.first { bytes[$0] == text[0] && bytes[$0...].starts(with: text) }.map { $0 + text.count }
    }

    private static func connect(to path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard descriptor >= 0, result == 0 else { throw failure("connect") }
        return descriptor
    }

    private static func failure(_ call: String) -> Failure {
        Failure(description: "\(call): \(String(cString: strerror(errno)))")
    }
}
