import HTTPTypes
import LoopbackWeb
import Testing

@Suite("The answers of a listener")
struct AnswerTests {
    private static let headers = [
        "content-security-policy":
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin",
    ]

    @Test("every answer has the security headers, including the server's own refusals")
    func everyAnswer() async throws {
        try await WebUnderTest.with { (web) async throws in
            let answers = [
                200: try await web.ask("GET", "/", [WebUnderTest.cookie]),
                303: try await web.ask("GET", "/?token=t0ken"),
                400: try await RawClient.answer(port: web.port, "this is not HTTP\r\n\r\n"),
                401: try await web.ask("GET", "/thing"),
                403: try await web.ask("GET", "/thing", host: "evil.example"),
                404: try await web.ask("GET", "/nothing", [WebUnderTest.bearer]),
                413: try await web.ask(
                    "POST", "/thing", [WebUnderTest.bearer], body: String(repeating: "x", count: 70_000)),
                500: try await web.ask("GET", "/broken", [WebUnderTest.bearer]),
            ]
            for (status, answer) in answers {
                #expect(answer.status == status)
                for (name, value) in Self.headers { #expect(answer.headers[name] == value, "\(status) \(name)") }
            }
        }
    }

    @Test("a content security policy accepts further directives")
    func directives() {
        let policy = SecurityHeaders.fields(adding: ["media-src 'self'"])[.contentSecurityPolicy]
        #expect(policy?.contains("; media-src 'self'; base-uri 'none'") == true)
    }

    @Test("errors are JSON with a code and a sentence, and reveal no internals")
    func errors() async throws {
        try await WebUnderTest.with { (web) async throws in
            let missing = try await web.ask("GET", "/nothing", [WebUnderTest.bearer])
            #expect(missing.body == #"{"error":{"code":"notFound","message":"there is no GET /nothing"}}"#)
            #expect(missing.headers["cache-control"] == "no-store")
            let broken = try await web.ask("GET", "/broken", [WebUnderTest.bearer])
            #expect(broken.body.contains(#""code":"internal""#) && !broken.body.contains("Broken"))
        }
    }

    @Test("an asset has its type and a tag, is not sent again for its tag, and HEAD is answered without a body")
    func assets() async throws {
        try await WebUnderTest.with { (web) async throws in
            let script = try await web.ask("GET", "/assets/a.js", [WebUnderTest.cookie])
            #expect(script.status == 200 && script.body == "let a = 1")
            #expect(script.headers["content-type"] == "text/javascript; charset=utf-8")
            #expect(script.headers["cache-control"] == "no-cache")
            let tag = try #require(script.headers["etag"])
            let again = try await web.ask("GET", "/assets/a.js", [WebUnderTest.cookie, "If-None-Match: \(tag)"])
            #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] == tag)
            #expect(try await web.ask("GET", "/", [WebUnderTest.cookie, "If-None-Match: \(tag)"]).status == 200)
            let head = try await web.ask("HEAD", "/assets/a.js", [WebUnderTest.cookie])
            #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "9")
            for other in ["/assets/b.js", "/assets/../a.js", "/assets/", "/assets/index.html", "/a.js", "/index.html"] {
                #expect(try await web.ask("GET", other, [WebUnderTest.cookie]).status == 404, "\(other)")
            }
        }
    }
}
