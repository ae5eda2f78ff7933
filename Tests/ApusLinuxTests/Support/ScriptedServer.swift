import Foundation

/// A TCP server on a port of its own, whose first guest gets the first script, the second one the second, and so on;
/// later connections are not accepted. A guest's connection is closed at the end of its script.
final class ScriptedServer: Sendable {
    /// One guest. Its calls wait, on the server's own thread.
    final class Peer {
        private let descriptor: Int32
        private var rest = ""

        fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }
        deinit { close(descriptor) }

        func say(_ text: String) {
            let bytes = Array(text.utf8)
            _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }

        /// The next line; `nil` when the guest has gone.
        func hear() -> String? {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                if let end = rest.firstIndex(of: "\n") {
                    defer { rest = String(rest[rest.index(after: end)...]) }
                    return String(rest[..<end])
                }
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { return nil }
                rest += String(decoding: buffer[..<count], as: UTF8.self)
            }
        }

        /// Waits until the guest has gone.
        func waitForEnd() { while hear() != nil {} }
    }

    var port: UInt16 { reserved.number }
    private let reserved: ReservedPort

    init(on reserved: ReservedPort, _ scripts: [@Sendable (Peer) -> Void]) throws {
        guard listen(reserved.descriptor, 8) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        self.reserved = reserved
        // Accepting and the scripts wait, so they have a thread, which ends with the scripts or with the server.
        Thread.detachNewThread {
            for script in scripts {
                let guest = accept(reserved.descriptor, nil, nil)
                guard guest >= 0 else { break }
                script(Peer(guest))
            }
        }
    }

    convenience init(_ scripts: [@Sendable (Peer) -> Void]) throws { try self.init(on: ReservedPort(), scripts) }

    deinit {
        // Wakes the thread that waits in `accept`.
        shutdown(reserved.descriptor, Int32(SHUT_RDWR))
    }
}

/// A TCP port of this machine that no other program gets. Without a ``ScriptedServer`` it has no listener.
final class ReservedPort: Sendable {
    let number: UInt16
    fileprivate let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var on: Int32 = 1
        // A program that sets this too, as servers do, may listen on it.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
            }
        }
        number = UInt16(bigEndian: address.sin_port)
        guard result == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }
}
