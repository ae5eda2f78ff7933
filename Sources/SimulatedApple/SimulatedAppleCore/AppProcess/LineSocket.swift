import ApusTimers
import Foundation
import PlatformC

/// One end of a pair of connected sockets, on which each line is a message.
///
/// Messages can be sent on any thread, but received on one thread only. The object owns the descriptor as long as it
/// lives, so the descriptor's number cannot become that of another file while a thread uses it.
final class LineSocket: Sendable {
    private let descriptor: Int32
    private let writing = Locked(())
    private let unread = Locked<[UInt8]>([])

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Creates two connected ends, whose descriptors are closed in programs that are executed later.
    static func pair() -> (Int32, Int32)? {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return nil
        }
        return (ends[0], ends[1])
    }

    /// Sends a message; returns `false` if the other end is closed.
    @discardableResult
    func send(_ message: some LineMessage) -> Bool {
        var line = LineWriter()
        message.write(to: &line)
        let bytes = line.bytes + [UInt8(ascii: "\n")]
        return writing.withLock { _ in
            var written = 0
            while written < bytes.count {
                let count = bytes[written...].withUnsafeBytes {
                    PlatformC.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                written += count
            }
            return true
        }
    }

    enum Line<Message> {
        case value(Message)
        case end
        case timedOut
    }

    /// Waits for the next message for at most `limit` milliseconds of real time; -1 means no limit.
    func receive<Message: LineMessage>(_ type: Message.Type, limit: Int32 = -1) -> Line<Message> {
        while true {
            if let line = takeLine() {
                var reader = LineReader(line[...])
                guard let message = Message(&reader) else {
                    fatalError(
                        "not a message between a device and an app: \(String(decoding: line, as: UTF8.self))")
                }
                return .value(message)
            }
            if limit >= 0 {
                var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                let count = poll(&polled, 1, limit)
                if count < 0, errno == EINTR { continue }
                if count == 0 { return .timedOut }
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .end }
            unread.withLock { $0.append(contentsOf: buffer[..<count]) }
        }
    }

    private func takeLine() -> [UInt8]? {
        unread.withLock { unread in
            guard let end = unread.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            defer { unread.removeSubrange(...end) }
            return Array(unread[..<end])
        }
    }

    /// Ends the connection in both directions: sending fails from now on, and receiving ends after the messages that
    /// have already arrived.
    func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

protocol LineMessage {
    func write(to line: inout LineWriter)
    /// Reads a message; returns `nil` if the line is not a message of this type.
    init?(_ line: inout LineReader)
}

/// Writes the words of a line, separated by spaces.
struct LineWriter {
    private(set) var bytes: [UInt8] = []

    mutating func begin(_ kind: Unicode.Scalar) { bytes.append(UInt8(ascii: kind)) }

    mutating func add(_ number: some FixedWidthInteger) {
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: "\(number)".utf8)
    }

    /// Adds JSON as the last word; JSON from the encoder has no line ends.
    mutating func add(_ json: Data) {
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: json)
    }

    mutating func add(json value: some Encodable) {
        guard let json = try? JSONEncoder().encode(value) else {
            fatalError("a part of a message between a device and an app cannot be written as JSON")
        }
        add(json)
    }
}

/// Reads the words of a line.
struct LineReader {
    let kind: Unicode.Scalar
    private var left: ArraySlice<UInt8>

    init(_ line: ArraySlice<UInt8>) {
        kind = line.first.map { Unicode.Scalar($0) } ?? "\n"
        // The letter for the kind and the space after it are skipped.
        left = line.dropFirst(2)
    }

    var isAtEnd: Bool { left.isEmpty }

    /// Reads the next word; returns `nil` if it is not a number.
    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        let word = left.prefix { $0 != UInt8(ascii: " ") }
        left = left.dropFirst(word.count + 1)
        return Number(String(decoding: word, as: UTF8.self))
    }

    /// The unread rest of the line.
    var rest: Data { Data(left) }

    /// Decodes the unread rest of the line; returns `nil` if it is not JSON of such a value.
    func json<Value: Decodable>(_ type: Value.Type) -> Value? { try? JSONDecoder().decode(type, from: rest) }
}
