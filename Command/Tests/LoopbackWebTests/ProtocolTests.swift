import ApusTimers
import ApusVirtualTime
import Testing

@testable import LoopbackWeb

@Suite("What a listener makes of HTTP")
struct ProtocolTests {
    private static let thing = "GET /thing HTTP/1.1\r\nConnection: close\r\n\(WebUnderTest.bearer)\r\n"

    @Test("a request without a Host, or with several, is answered 400")
    func hosts() async throws {
        try await WebUnderTest.with { (web) async throws in
            let host = "Host: \(WebUnderTest.host)\r\n"
            for hosts in ["", host + host, host + "Host: evil.example\r\n", "Host: evil.example\r\n" + host] {
                let answer = try await RawClient.answer(port: web.port, Self.thing + hosts + "\r\n")
                #expect(answer.status == 400 && answer.body.contains("Host: send this header once"), "\(hosts)")
            }
            #expect(try await RawClient.answer(port: web.port, Self.thing + host + "\r\n").status == 200)
            #expect(await web.reached.list.count == 1)
        }
    }

    @Test("an unsupported method of a known path is answered 405 with the supported ones, and an unknown path 404")
    func methods() async throws {
        try await WebUnderTest.with { (web) async throws in
            for (method, path, allowed) in [
                ("TRACE", "/thing", "GET, POST"), ("DELETE", "/thing", "GET, POST"), ("OPTIONS", "/thing", "GET, POST"),
                ("PROPFIND", "/thing", "GET, POST"), ("REPORT", "/things/a%2Fb", "GET"), ("POST", "/", "GET, HEAD"),
                ("TRACE", "/assets/a.js", "GET, HEAD"),
            ] {
                let answer = try await web.ask(method, path, [WebUnderTest.bearer])
                #expect(answer.status == 405 && answer.headers["allow"] == allowed, "\(method) \(path)")
                #expect(answer.body.contains(#""code":"methodNotAllowed""#))
            }
            for path in ["/nothing", "/things", "/things/a/b", "/assets/b.js"] {
                #expect(try await web.ask("TRACE", path, [WebUnderTest.bearer]).status == 404, "\(path)")
            }
            #expect(try await web.ask("TRACE", "/thing").status == 401, "without the token nothing is said")
        }
    }

    @Test("an answer to HTTP/1.0 ends its connection and is not chunked")
    func oldVersion() async throws {
        try await WebUnderTest.with { (web) async throws in
            for extra in ["", "Connection: keep-alive\r\n"] {
                let answer = try await RawClient.answer(
                    port: web.port,
                    "GET /thing HTTP/1.0\r\nHost: \(WebUnderTest.host)\r\n\(extra)\(WebUnderTest.bearer)\r\n\r\n")
                #expect(answer.status == 200 && answer.headers["connection"] == "close")
                #expect(answer.body == #"{"caller":"script"}"#)
            }
            try await RawClient.with(port: web.port) { connection in
                try await connection.send(
                    "GET /events HTTP/1.0\r\nHost: \(WebUnderTest.host)\r\n\(WebUnderTest.bearer)\r\n\r\n")
                let text = try await connection.receive { $0.contains(#"{"n":0}"#) }
                #expect(!text.lowercased().contains("chunked") && text.contains("\r\n\r\n: listening\n\n"))
            }
        }
    }

    @Test("a connection ends after a request with `Connection: close`, in any letter case")
    func closing() async throws {
        try await WebUnderTest.with { (web) async throws in
            let request = "GET /thing HTTP/1.1\r\nHost: \(WebUnderTest.host)\r\n\(WebUnderTest.bearer)\r\n"
            let text = try await RawClient.with(port: web.port) { connection in
                try await connection.send(
                    request + "\r\n" + request + "Connection: Foo, CLOSE\r\n\r\n" + request + "\r\n")
                return try await connection.receive()
            }
            #expect(text.split(separator: "200 OK").count == 3, "two answers")
            #expect(text.split(separator: "connection: close").count == 2, "one of them the last")
        }
    }

    @Test("a body announced as too large is refused before any of it has arrived")
    func announcedBody() async throws {
        try await WebUnderTest.with { (web) async throws in
            let request = "POST /thing HTTP/1.1\r\nHost: \(WebUnderTest.host)\r\nContent-Length: 65537\r\n"
            let refused = try await RawClient.answer(port: web.port, request + WebUnderTest.bearer + "\r\n\r\n")
            #expect(refused.status == 413 && refused.headers["connection"] == "close")
            #expect(
                try await RawClient.answer(port: web.port, request + "\r\n").status == 401,
                "without the token nothing is said")
            #expect(await web.reached.list.isEmpty)
        }
    }

    @Test("a TLS proxy's name is accepted as Host, its https origin is the page's own, and its cookie is Secure")
    func proxy() async throws {
        try await WebUnderTest.with { (web) async throws in
            for host in ["apus.example", "APUS.example:443"] {
                let entered = try await web.ask("GET", "/?token=t0ken", host: host)
                #expect(entered.headers["set-cookie"] == "test_7878=c00kie; Path=/; HttpOnly; SameSite=Strict; Secure")
                let origin = "Origin: https://apus.example"
                #expect(
                    try await web.ask("POST", "/thing", [WebUnderTest.cookie, origin], host: host, body: "x").status
                        == 200)
            }
            for (host, origin) in [
                ("apus.example", "http://apus.example"), ("apus.example", "https://apus.example:8443"),
                ("apus.example", "https://evil.example"), ("apus.example:7878", "https://apus.example"),
            ] {
                let answer = try await web.ask("GET", "/thing", [WebUnderTest.bearer, "Origin: \(origin)"], host: host)
                #expect(answer.status == 403, "\(host) \(origin)")
            }
        }
    }

    @Test("every answer has the time of the listener's clock in HTTP's format")
    func date() async throws {
        for (seconds, text) in [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        ] { #expect(HTTPDate.text(WallInstant(secondsSince1970: Int64(seconds))) == text) }
        try await WebUnderTest.with { (web) async throws in
            let now = HTTPDate.text(web.time.wall())
            #expect(try await web.ask("GET", "/thing", [WebUnderTest.bearer]).headers["date"] == now)
            #expect(try await RawClient.answer(port: web.port, "this is not HTTP\r\n\r\n").headers["date"] == now)
        }
    }
}
