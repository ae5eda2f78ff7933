import ApusTimers
import NIOCore
import NIOPosix

/// A client that sends and receives the raw bytes of one connection.
struct RawClient: Sendable {
    private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Connects to the port, hands the connection to `body` and closes it afterwards.
    static func with<Result: Sendable>(
        port: Int, reads: Bool = true, _ body: @Sendable (Connection) async throws -> Result
    ) async throws -> Result {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.autoRead, value: reads)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await body(Connection(channel: channel.channel, inbound: inbound, outbound: outbound))
        }
    }

    /// Connects to the port without sending or reading.
    static func open(port: Int) async throws -> any Channel {
        try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port).get()
    }

    struct Connection: Sendable {
        let channel: any Channel
        let inbound: NIOAsyncChannelInboundStream<ByteBuffer>
        let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

        func send(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }

        /// Receives until `isEnough` accepts the text, or until the connection ends.
        ///
        /// One iterator can be used several times.
        static func receive(
            _ iterator: inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator, until isEnough: (String) -> Bool
        ) async throws -> String {
            var text = ""
            while !isEnough(text), let bytes = try await iterator.next() { text += String(buffer: bytes) }
            return text
        }

        /// Receives until the server ends the connection, or until `isEnough` accepts the last 8 KiB.
        func receive(until isEnough: ((String) -> Bool)? = nil) async throws -> String {
            var all = ByteBuffer()
            for try await var bytes in inbound {
                all.writeBuffer(&bytes)
                if let isEnough, isEnough(String(decoding: all.readableBytesView.suffix(8_192), as: UTF8.self)) {
                    break
                }
            }
            return String(buffer: all)
        }
    }

    /// Sends a request whose connection ends with the answer, and returns the answer.
    static func answer(port: Int, _ request: String) async throws -> Answer {
        try await with(port: port) { connection in
            try await connection.send(request)
            return Answer(try await connection.receive())
        }
    }
}

/// A parsed answer.
struct Answer: Sendable {
    var status: Int
    var headers: [String: String]
    var body: String

    init(_ text: String) {
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].split(separator: "\r\n")
        status = lines.first.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0
        headers = [:]
        for line in lines.dropFirst() {
            let pair = line.split(separator: ":", maxSplits: 1)
            headers[pair[0].lowercased()] = String(pair[1].drop { $0 == " " })
        }
        body = parts.count > 1 ? String(parts[1]) : ""
    }
}
