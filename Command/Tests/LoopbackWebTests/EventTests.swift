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

    @Test("a listener gets what is for its beginning, then every event, and the end")
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

    @Test("a listener that had nothing is sent a comment every 15 seconds; without a listener, nothing is scheduled")
    func keepAlive() async throws {
        try await WebUnderTest.with { (web) async throws in
            try await RawClient.with(port: web.port) { connection in
                try await connection.send(Self.request)
                try await until("the listener") { web.feed.isHeard }
                web.time.advance(by: .seconds(16))
                // As a chunk of three bytes: a line end after CR would not be found as a character of its own.
                _ = try await connection.receive { $0.contains("3\r\n:\n\n") }
            }
            try await until("the end of the listener") { !web.feed.isHeard }
            web.time.advance(by: .seconds(16))
            try await until("no timers") { web.time.pendingTimerCount == 0 }
        }
    }

    @Test("one listener more than the limit is sent away for a while, and comes in when another has gone")
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
                // Asked again until the server has seen the end of the second connection.
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

    @Test("a listener that does not read is ended, and what waited for it is gone")
    func neverReads() async throws {
        try await WebUnderTest.with { (web) async throws in
            try await RawClient.with(port: web.port, reads: false) { connection in
                try await connection.send(Self.request)
                try await until("the listener") { web.feed.isHeard }
                let text = String(repeating: "x", count: 64 * 1024)
                // The feed's own, and the one for the writing that is stuck. The kernel takes the first megabytes,
                // and of what is sent faster than they are written most is left out.
                try await until("the timeout") {
                    web.feed.send(ServerEvent("large", [text]))
                    return web.time.pendingTimerCount == 2
                }
                // Again and again: as long as the kernel takes a little more, the timeout begins anew.
                try await until("the end of the listener") {
                    web.feed.send(ServerEvent("large", [text]))
                    web.time.advance(by: .seconds(22))
                    return !web.feed.isHeard
                }
            }
            #expect(try await web.ask("GET", "/thing", [WebUnderTest.bearer]).status == 200)
        }
    }

    @Test("a listener that reads late gets `lost` for what was left out, and the newest events")
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

    @Test("a buffer keeps to its bounds: bulk is dropped first, the newest stays, and what was dropped is marked")
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
