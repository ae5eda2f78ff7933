import Foundation

/// A proxy between a connection and a PostgreSQL server, both on Unix sockets.
///
/// It can hold a direction, break the connections, or deliver byte by byte; and it counts the bytes and messages.
///
/// Each direction of each connection has a thread that blocks in its reads and writes.
package final class Proxy: @unchecked Sendable {  // For `@unchecked Sendable`: `condition` protects all variables.
    package enum Direction: Int, CaseIterable { case toServer, toClient }

    /// The folder of the proxy's socket.
    package let folder: String
    package let port: Int
    private let serverPath: String
    private let listener: Int32
    private let condition = NSCondition()
    private var held: Set<Direction> = []
    private var isByteByByte = false
    private var descriptors: [Int32] = []
    private var messages: [Character: Int] = [:]
    private var readerOfMessages = FrontendMessages()
    private var bytes = [Direction.toServer: 0, .toClient: 0]
    private var delivered = [Direction.toServer: 0, .toClient: 0]
    private var isClosed = false

    /// Listens in a new folder, at the port of the server whose socket is in another folder.
    package init(in folder: String, toServerIn serverFolder: String, port: Int) throws {
        self.folder = folder
        self.port = port
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        serverPath = "\(serverFolder)/.s.PGSQL.\(port)"
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let isListening = Self.withAddress("\(folder)/.s.PGSQL.\(port)") { bind(listener, $0, $1) } == 0
        guard isListening, listen(listener, 16) == 0 else { throw CannotListen(error: errno) }
        Thread.detachNewThread { self.accept() }
    }

    package struct CannotListen: Error {
        /// The system's error number.
        package var error: Int32
    }

    // MARK: Controls

    /// Holds all data of this direction until ``release(_:)``; the sender's buffers fill up.
    package func hold(_ direction: Direction) { change { _ = held.insert(direction) } }
    package func release(_ direction: Direction) { change { _ = held.remove(direction) } }
    /// Delivers each byte in its own packet.
    package func deliverByteByByte() { change { isByteByByte = true } }

    /// Breaks all connections.
    package func cut() {
        change {
            for descriptor in descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    package func close() {
        cut()
        change { isClosed = true }
        shutdown(listener, Int32(SHUT_RDWR))
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Returns the number of messages of a type that the client has sent completely or in part.
    ///
    /// `S` is a sync, and `E` is an execution.
    package func count(_ type: Character) -> Int { change { messages[type] ?? 0 } }

    /// Waits until this number of bytes has been received in this direction since the start.
    package func waitForBytes(_ count: Int, _ direction: Direction) async {
        await wait { $0.bytes[direction, default: 0] >= count }
    }

    /// Waits until the server has sent more than this number of bytes, and the client's socket has all of them.
    package func waitForDelivery(moreThan count: Int) async {
        await wait { $0.delivered[.toClient, default: 0] > count && $0.delivered[.toClient] == $0.bytes[.toClient] }
    }

    /// Waits until this number of messages of this type has been received from the client since the start.
    package func waitForMessages(_ count: Int, _ type: Character) async {
        await wait { $0.messages[type, default: 0] >= count }
    }

    private func wait(until isDone: @escaping @Sendable (Proxy) -> Bool) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                condition.lock()
                while !isDone(self), !isClosed { condition.wait() }
                condition.unlock()
                continuation.resume()
            }
        }
    }

    package func byteCount(_ direction: Direction) -> Int { change { bytes[direction] ?? 0 } }

    private func change<Value>(_ body: () -> Value) -> Value {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return body()
    }

    // MARK: Threads

    private func accept() {
        while true {
            let client = Foundation.accept(listener, nil, nil)
            guard client >= 0 else { return }
            let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            guard Self.withAddress(serverPath, { connect(server, $0, $1) }) == 0 else {
                Foundation.close(client)
                Foundation.close(server)
                continue
            }
            change { descriptors += [client, server] }
            Thread.detachNewThread { self.copy(from: client, to: server, .toServer) }
            Thread.detachNewThread { self.copy(from: server, to: client, .toClient) }
        }
    }

    private func copy(from source: Int32, to target: Int32, _ direction: Direction) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { break }
            let size: Int = change {
                bytes[direction, default: 0] += count
                if direction == .toServer {
                    for type in readerOfMessages.read(buffer.prefix(count)) { messages[type, default: 0] += 1 }
                }
                return isByteByByte ? 1 : count
            }
            condition.lock()
            while held.contains(direction), !isClosed { condition.wait() }
            condition.unlock()
            guard send(buffer.prefix(count), to: target, by: size) else { break }
            change { delivered[direction, default: 0] += count }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }

    private func send(_ bytes: ArraySlice<UInt8>, to target: Int32, by size: Int) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Foundation.send(target, $0.baseAddress, min(size, $0.count), Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    private static func withAddress<Value>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
    ) -> Value {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// The parser of a client's messages: a start-up packet, and then messages that begin with a letter and a length.
private struct FrontendMessages {
    private var hasStarted = false
    /// The bytes of the header that have arrived so far.
    private var header: [UInt8] = []
    /// The number of bytes of the body that have not arrived yet.
    private var rest = 0

    /// Returns the types of the messages that begin in these bytes.
    mutating func read(_ bytes: ArraySlice<UInt8>) -> [Character] {
        var types: [Character] = []
        var bytes = bytes
        while !bytes.isEmpty {
            if rest > 0 {
                let skipped = min(rest, bytes.count)
                rest -= skipped
                bytes = bytes.dropFirst(skipped)
                continue
            }
            header.append(bytes.removeFirst())
            guard header.count == (hasStarted ? 5 : 4) else { continue }
            let length = header.suffix(4).reduce(0) { $0 << 8 | Int($1) }
            if hasStarted { types.append(Character(Unicode.Scalar(header[0]))) }
            hasStarted = true
            rest = length - 4
            header = []
        }
        return types
    }
}
