import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import NIOCore
import Testing

@testable import LoopbackWeb

@Suite("The event streams of a listener", .timeLimit(.minutes(10)))
struct EventTests {
    private static let request =
        "GET /events HTTP/1.1\r\nHost: \(WebUnderTest.host)\r\n\(WebUnderTest.bearer)\r\n\r\n"

    @Test("an event listener gets the initial state, then every event and the end")
    func order() async throws {
        try await WebUnderTest.with { (web) async throws in
            try await RawClient.with(port: web.port) { connection in
                try await connection.send(Self.request)
                try await until("the listener") { web.feed.isHeard }
                for number in 0..<100 { web.feed.send(ServerEvent("tick", ["n": number])) }
                web.feed.close()
                let text = try await connection.receive { $0.hasSuffix("0\r\n\r\n") }
                #expect(
                    text.contains("content-type: text/event-stream") || text.contains("Content-Type: text/event-stream")
                )
                let first = text.firstRange(of: "event: first\ndata: {\"n\":0}\n\n")
                let last = text.firstRange(of: "event: tick\ndata: {\"n\":99}\n\n")
                #expect(first != nil && last != nil && first!.lowerBound < last!.lowerBound)
                #expect(text.split(separator: "event: tick").count == 101 && !text.contains("event: lost"))
            }
        }
    }

    @Test("an idle event listener is sent a comment every 15 seconds, and without listeners nothing is scheduled")
    func keepAlive() async throws {
        try await WebUnderTest.with { (web) async throws in
            try await RawClient.with(port: web.port) { connection in
                try await connection.send(Self.request)
                try await until("the listener") { web.feed.isHeard }
                web.time.advance(by: .seconds(16))
                // The text is matched as a chunk of three bytes, because CR and LF are one `Character`.
                _ = try await connection.receive { $0.contains("3\r\n:\n\n") }
            }
            try await until("the end of the listener") { !web.feed.isHeard }
            web.time.advance(by: .seconds(16))
            try await until("no timers") { web.time.pendingTimerCount == 0 }
        }
    }

    @Test("a listener beyond the limit is refused for a while, and admitted when another has left")
    func limit() async throws {
        var limits = EventFeed.Limits()
        limits.listeners = 2
        try await WebUnderTest.with(feedLimits: limits) { (web) async throws in
            try await RawClient.with(port: web.port) { first in
                try await first.send(Self.request)
                _ = try await first.receive { $0.contains("first") }
                try await RawClient.with(port: web.port) { second in
                    try await second.send(Self.request)
                    _ = try await second.receive { $0.contains("first") }
                    let refused = try await web.ask("GET", "/events", [WebUnderTest.bearer])
                    #expect(refused.status == 503 && refused.headers["retry-after"] == "5")
                    #expect(refused.body.contains(#""code":"busy""#))
                    #expect(try await web.ask("GET", "/thing", [WebUnderTest.bearer]).status == 200)
                }
                let clock = TimerClock.continuous()
                var status = 503
                // The request is repeated until the server has noticed the end of the second connection.
                for _ in 0..<1_000 where status == 503 {
                    try await clock.sleep(until: clock.now.advanced(by: .milliseconds(5)), tolerance: nil)
                    status = try await RawClient.with(port: web.port) { third in
                        try await third.send(Self.request)
                        return Answer(try await third.receive { $0.contains("first") || $0.contains("busy") }).status
                    }
                }
                #expect(status == 200)
            }
        }
    }

    @Test("a listener that does not read is ended, and its waiting events are dropped")
    func neverReads() async throws {
        try await WebUnderTest.with { (web) async throws in
            try await RawClient.with(port: web.port, reads: false) { connection in
                try await connection.send(Self.request)
                try await until("the listener") { web.feed.isHeard }
                let text = String(repeating: "x", count: 64 * 1024)
                // The two timeouts are that of the feed and that of the blocked write. The kernel accepts the first
                // megabytes, so events are sent until the write blocks; most of them are omitted, because they are sent
                // faster than they are written.
                try await until("the timeout") {
                    web.feed.send(ServerEvent("large", [text]))
                    return web.time.pendingTimerCount == 2
                }
                // The advance is repeated, because the timeout restarts for as long as the kernel accepts more bytes.
                try await until("the end of the listener") {
                    web.feed.send(ServerEvent("large", [text]))
                    web.time.advance(by: .seconds(22))
                    return !web.feed.isHeard
                }
            }
            #expect(try await web.ask("GET", "/thing", [WebUnderTest.bearer]).status == 200)
        }
    }

    @Test("a listener that reads late gets `lost` for omitted events, and the newest events")
    func lost() async throws {
        try await WebUnderTest.with { (web) async throws in
            try await RawClient.with(port: web.port, reads: false) { connection in
                try await connection.send(Self.request)
                try await until("the listener") { web.feed.isHeard }
                let text = String(repeating: "x", count: 64 * 1024)
                for number in 0..<400 { web.feed.send(ServerEvent("large", ["\(number)", text])) }
                web.feed.send(ServerEvent("newest", ["n": 400]))
                try await connection.channel.setOption(.autoRead, value: true).get()
                let all = try await connection.receive { $0.contains("event: newest") }
                let lost = try #require(all.firstRange(of: "event: lost\n"))
                let newest = try #require(all.firstRange(of: "event: newest"))
                #expect(lost.lowerBound < newest.lowerBound && all.split(separator: "event: large").count < 390)
            }
        }
    }

    @Test("an event buffer stays within its bounds: bulk is dropped first, the newest events stay, and gaps are marked")
    func buffer() throws {
        var limits = EventFeed.Limits()
        (limits.bulkBytes, limits.bytes) = (1_000, 2_000)
        var buffer = EventBuffer(limits: limits)
        buffer.append(ServerEvent("run", ["n": 0]))
        for number in 0..<1_000 { buffer.append(ServerEvent("output", isBulk: true, ["n": number])) }
        buffer.append(ServerEvent("run", ["n": 1]))
        let text = try #require(buffer.take().map { String(buffer: $0) })
        #expect(text.hasPrefix("event: run\ndata: {\"n\":0}\n\nevent: lost\ndata: {\"events\":0,\"outputBytes\":"))
        #expect(text.hasSuffix("event: output\ndata: {\"n\":999}\n\nevent: run\ndata: {\"n\":1}\n\n"))
        #expect(text.split(separator: "event: lost").count == 2 && text.utf8.count < 1_200)
        #expect(buffer.take() == nil)

        for number in 0..<1_000 { buffer.append(ServerEvent("run", ["n": number])) }
        let runs = try #require(buffer.take().map { String(buffer: $0) })
        #expect(runs.hasPrefix("event: lost\ndata: {\"events\":9") && runs.hasSuffix("{\"n\":999}\n\n"))
        #expect(runs.utf8.count < 2_100)

        buffer.keepAlive()
        #expect(buffer.take() == ByteBuffer(string: ":\n\n"))
        let event = ServerEvent("run", ["n": 1])
        buffer.append(event)
        buffer.keepAlive()
        #expect(buffer.take() == event.bytes, "the event is enough, and nothing is lost")
    }
}
