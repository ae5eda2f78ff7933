import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import LoopbackWeb
import NIOCore
import Testing

@Suite("Connections without the token", .timeLimit(.minutes(10)))
struct UnadmittedTests {
    @Test("with 300 connections that send nothing, a client with the token is answered at once")
    func idleFlood() async throws {
        try await WebUnderTest.with { (web) async throws in
            var idle: [any Channel] = []
            for _ in 1...300 { idle.append(try await RawClient.open(port: web.port)) }
            // Virtual time does not advance, so no timeout frees a place.
            #expect(try await web.ask("GET", "/thing", [WebUnderTest.bearer]).status == 200)
            for channel in idle { channel.close(promise: nil) }
        }
    }

    @Test("a connection without an admitted request is closed after 5 s, and a client's stays open")
    func firstRequest() async throws {
        try await WebUnderTest.with { (web) async throws in
            let request = "GET /thing HTTP/1.1\r\nHost: \(WebUnderTest.host)\r\n"
            try await RawClient.with(port: web.port) { client in
                var fromClient = client.inbound.makeAsyncIterator()
                func clientIsAnswered() async throws -> Bool {
                    try await client.send(request + "\(WebUnderTest.bearer)\r\n\r\n")
                    return try await RawClient.Connection.receive(&fromClient) { $0.hasSuffix("}") }.contains("200 OK")
                }
                #expect(try await clientIsAnswered())
                #expect(web.time.pendingTimerCount == 0)
                try await RawClient.with(port: web.port) { other in
                    try await until("the timeout") { web.time.pendingTimerCount == 1 }
                    var fromOther = other.inbound.makeAsyncIterator()
                    try await other.send(request + "\r\n")
                    let refusal = try await RawClient.Connection.receive(&fromOther) { $0.hasSuffix("}}") }
                    #expect(refusal.contains("401"))
                    try await until("the next timeout") { web.time.pendingTimerCount == 1 }
                    web.time.advance(by: .seconds(7))
                    #expect(try await RawClient.Connection.receive(&fromOther) { _ in false }.isEmpty)
                }
                #expect(try await clientIsAnswered())
            }
        }
    }
}
