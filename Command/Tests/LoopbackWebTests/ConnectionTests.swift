import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import LoopbackWeb
import NIOCore
import Testing

@Suite("The connections of a listener", .timeLimit(.minutes(10)))
struct ConnectionTests {
    private static let piece = String(repeating: "x", count: 64 * 1024)

    @Test("a body of 10 MB is refused with 413, and the connection ends")
    func largeBody() async throws {
        try await WebUnderTest.with { (web) async throws in
            try await RawClient.with(port: web.port) { connection in
                async let answer = connection.receive()
                try await connection.send(
                    "POST /thing HTTP/1.1\r\nHost: \(WebUnderTest.host)\r\n\(WebUnderTest.bearer)\r\nContent-Length: 10485760\r\n\r\n"
                )
                // The server answers before the end of the body. It may then close the connection, which makes the
                // sending fail.
                for _ in 0..<160 { try? await connection.send(Self.piece) }
                let refused = try await Answer(answer)
                #expect(refused.status == 413 && refused.headers["connection"] == "close")
                #expect(refused.body.contains(#""code":"tooLarge""#))
            }
            #expect(try await web.ask("GET", "/thing", [WebUnderTest.bearer]).status == 200)
        }
    }

    @Test("a request is handled on its connection's event loop, also after another thread has resumed it")
    func eventLoop() async throws {
        try await WebUnderTest.with { (web) async throws in
            // Several requests are sent, because connections are spread over the event loops.
            for _ in 0..<4 { #expect(try await web.ask("GET", "/loop", [WebUnderTest.bearer]).body == "[true,true]") }
        }
    }

    @Test("a client that keeps sending after the answer is cut off")
    func endlessBody() async throws {
        try await WebUnderTest.with { (web) async throws in
            try await RawClient.with(port: web.port) { connection in
                try await connection.send(
                    "POST /thing HTTP/1.1\r\nHost: \(WebUnderTest.host)\r\nTransfer-Encoding: chunked\r\n\r\n")
                let answer = Answer(try await connection.receive())
                #expect(answer.status == 401 && answer.headers["connection"] == "close")
                // The check is repeated, because the answer arrives before the server waits for the end of the body.
                try await until("the end of the sending") {
                    web.time.advance(by: .seconds(3))
                    return !connection.channel.isActive || Self.fails(connection)
                }
            }
        }
    }

    /// Returns whether the kernel knows that the server accepts no more bytes.
    private static func fails(_ connection: RawClient.Connection) -> Bool {
        connection.channel.writeAndFlush(ByteBuffer(string: "1\r\nx\r\n"), promise: nil)
        return !connection.channel.isActive
    }

    @Test("a head that arrives byte by byte is waited for until the limit, although bytes keep arriving")
    func slowHead() async throws {
        var limits = WebUnderTest.limits
        limits.idle = .seconds(1)
        try await WebUnderTest.with(limits: limits) { (web) async throws in
            try await RawClient.with(port: web.port) { connection in
                async let end = connection.receive()
                try await connection.send("GET /thing HTTP/1.1\r\nX-Slow: ")
                // The test uses real time, because Hummingbird counts this limit on the machine's clock.
                let clock = TimerClock.continuous()
                let giveUp = clock.now.advanced(by: .seconds(30))
                while connection.channel.isActive, clock.now < giveUp {
                    try? await connection.send("x")
                    try await clock.sleep(until: clock.now.advanced(by: .milliseconds(50)), tolerance: nil)
                }
                #expect(clock.now < giveUp, "it was not closed")
                #expect((try? await end)?.isEmpty ?? true)
            }
            // On a busy machine, a valid request can also exceed the limit, so it is repeated.
            var status = 0
            for _ in 0..<10 where status != 200 {
                status = try await web.ask("GET", "/thing", [WebUnderTest.bearer]).status
            }
            #expect(status == 200)
        }
    }

    @Test("a body that does not arrive is waited for until the limit")
    func slowBody() async throws {
        try await WebUnderTest.with { (web) async throws in
            try await RawClient.with(port: web.port) { connection in
                try await connection.send(
                    "POST /thing HTTP/1.1\r\nHost: \(WebUnderTest.host)\r\n\(WebUnderTest.bearer)\r\nContent-Length: 10\r\n\r\nx"
                )
                // The test waits until the handler has the request, so that the timeout below is not that of a
                // connection without a request.
                while await web.reached.list.isEmpty { await Task.yield() }
                try await until("the timeout") { web.time.pendingTimerCount == 1 }
                web.time.advance(by: .seconds(32))
                let answer = try? await connection.receive()
                #expect(answer?.contains("200 OK") != true)
            }
        }
    }

    @Test("an answer that is not read ends its connection")
    func unreadAnswer() async throws {
        try await WebUnderTest.with { (web) async throws in
            try await RawClient.with(port: web.port, reads: false) { connection in
                try await connection.send(
                    "GET /large HTTP/1.1\r\nHost: \(WebUnderTest.host)\r\n\(WebUnderTest.bearer)\r\n\r\n")
                // The test waits until the handler has the request, so that the timeout below is not that of the
                // request.
                while await web.reached.list.isEmpty { await Task.yield() }
                try await until("the timeout") { web.time.pendingTimerCount == 1 }
                web.time.advance(by: .seconds(22))
                try await connection.channel.setOption(.autoRead, value: true).get()
                let text = (try? await connection.receive()) ?? ""
                #expect(text.utf8.count < 32 << 20)
            }
        }
    }

    @Test("answers that are read leave no timeouts, and the connection stays open")
    func keptConnection() async throws {
        try await WebUnderTest.with { (web) async throws in
            try await RawClient.with(port: web.port) { connection in
                for _ in 0..<3 {
                    try await connection.send(
                        "POST /thing HTTP/1.1\r\nHost: \(WebUnderTest.host)\r\n\(WebUnderTest.bearer)\r\nContent-Length: 2\r\n\r\nxx"
                    )
                }
                let text = try await connection.receive {
                    $0.split(separator: "200 OK").count == 4 && $0.hasSuffix("}")
                }
                #expect(!text.contains("close"))
                #expect(web.time.pendingTimerCount == 0)
            }
        }
    }

    @Test("no more connections are served at once than the limit, and the next waits for one to end")
    func connectionLimit() async throws {
        var limits = WebUnderTest.limits
        limits.connections = 1
        try await WebUnderTest.with(limits: limits) { (web) async throws in
            let second = try await RawClient.with(port: web.port) { first in
                let request =
                    "GET /assets/a.js HTTP/1.1\r\nHost: \(WebUnderTest.host)\r\n\(WebUnderTest.bearer)\r\n\r\n"
                try await first.send(request)
                var second: Task<Answer, any Error>?
                var count = 0
                for try await _ in first.inbound {
                    count += 1
                    if count == 1 { second = Task { try await web.ask("GET", "/thing", [WebUnderTest.bearer]) } }
                    if count == 50 { break }
                    try await first.send(request)
                }
                #expect(await web.reached.list.isEmpty)
                return second
            }
            #expect(try await second?.value.status == 200)
            #expect(await web.reached.list == [.script])
        }
    }
}
