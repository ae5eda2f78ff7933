import Foundation
import PostgresTestServer

/// A pooler in transaction mode that gives each transaction the session that became free last.
///
/// Every client has a thread that blocks in its reads and writes. The pooler supports no passwords.
final class FakePooler: @unchecked Sendable {  // what changes is under `lock`
    /// The folder of the pooler's socket, whose port is the server's.
    let folder: String
    private let serverPath: String
    private let listener: Int32
    private let lock = NSLock()
    private var free: [Int32] = []
    /// The server's messages at the start of a session.
    private var greeting: [UInt8] = []

    init(to server: PostgresServer) throws {
        // The folder is removed with the server's, however this process ends.
        folder = "\(server.folder)/pooler-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        serverPath = "\(server.folder)/.s.PGSQL.\(server.port)"
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let isListening = Self.withAddress("\(folder)/.s.PGSQL.\(server.port)") { bind(listener, $0, $1) } == 0
        guard isListening, listen(listener, 16) == 0 else {
            throw PostgresServer.Failure(description: "the pooler cannot listen: error \(errno)")
        }
        Thread.detachNewThread {
            while true {
                let client = accept(self.listener, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { self.serve(client) }
            }
        }
    }

    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        for session in lock.withLock({ free }) { shutdown(session, Int32(SHUT_RDWR)) }
    }

    private func serve(_ client: Int32) {
        defer { Foundation.close(client) }
        guard let length = Self.read(client, 4), let rest = Self.read(client, Self.number(length) - 4) else {
            return
        }
        guard let first = session(length + rest) else { return }
        give(back: first)
        Self.write(client, lock.withLock { greeting })
        var held: Int32?
        var waiting: [UInt8] = []
        while let message = Self.message(client) {
            if message[0] == UInt8(ascii: "X") { break }
            waiting += message
            // At a sync or a simple query the server executes the messages received so far.
            guard message[0] == UInt8(ascii: "S") || message[0] == UInt8(ascii: "Q") else { continue }
            guard let session = held ?? session(length + rest) else { return }
            held = session
            Self.write(session, waiting)
            waiting = []
            while let answer = Self.message(session) {
                Self.write(client, answer)
                guard answer[0] == UInt8(ascii: "Z") else { continue }
                if answer[5] == UInt8(ascii: "I") {
                    give(back: session)
                    held = nil
                }
                break
            }
        }
        // If a transaction is still in progress, its session is closed, which ends the transaction.
        if let held { shutdown(held, Int32(SHUT_RDWR)) }
    }

    private func give(back session: Int32) { lock.withLock { free.append(session) } }

    private func session(_ startup: [UInt8]) -> Int32? {
        if let session = lock.withLock({ free.popLast() }) { return session }
        let session = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard Self.withAddress(serverPath, { connect(session, $0, $1) }) == 0 else { return nil }
        Self.write(session, startup)
        var said: [UInt8] = []
        while let answer = Self.message(session) {
            said += answer
            if answer[0] == UInt8(ascii: "Z") { break }
        }
        lock.withLock { greeting = said }
        return session
    }

    // MARK: Messages

    /// Reads a message: a letter, a length and a body.
    private static func message(_ descriptor: Int32) -> [UInt8]? {
        guard let head = read(descriptor, 5), let body = read(descriptor, number(Array(head[1...])) - 4) else {
            return nil
        }
        return head + body
    }

    private static func number(_ bytes: [UInt8]) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func read(_ descriptor: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let size = bytes.withUnsafeMutableBytes {
                Foundation.read(descriptor, $0.baseAddress! + done, count - done)
            }
            guard size > 0 else { return nil }
            done += size
        }
        return bytes
    }

    private static func write(_ descriptor: Int32, _ bytes: [UInt8]) {
        var done = 0
        while done < bytes.count {
            let size = bytes[done...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard size > 0 else { return }
            done += size
        }
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
