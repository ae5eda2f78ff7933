import Testing

@testable import ApusClient

@Suite("The redirects of a webhook")
struct WebhookRouteTests {
    @Test("answers of 200 to 299 are deliveries, others are failures", arguments: [200, 204, 299, 304, 400, 500])
    func plain(status: Int) throws {
        var route = try #require(WebhookRoute("http://a/hook"))
        let step = route.answered(status: status, location: "http://b/")
        #expect(step == (status < 300 ? .delivered : .failed("HTTP \(status)")))
    }

    @Test("redirects that make a GET of a POST are failures that name the address", arguments: [301, 302, 303])
    func toGET(status: Int) throws {
        var route = try #require(WebhookRoute("http://a/hook?x=1"))
        let expected = "HTTP \(status): redirected to http://a/new; use that address"
        #expect(route.answered(status: status, location: "/new") == .failed(expected))
    }

    @Test("redirects that keep the POST are followed, five times", arguments: [307, 308])
    func followed(status: Int) throws {
        var route = try #require(WebhookRoute("http://a:8080/hook"))
        for number in 1...5 {
            #expect(route.answered(status: status, location: "/\(number)") == .redirected)
            #expect(route.address == "http://a:8080/\(number)" && route.isSameOrigin)
        }
        let expected = "HTTP \(status): redirected more than 5 times"
        #expect(route.answered(status: status, location: "/6") == .failed(expected))
    }

    @Test(
        "another scheme, host or port is another origin, even if a later redirect returns to the first",
        arguments: ["https://a/", "http://b/", "http://a:81/"])
    func origins(location: String) throws {
        var route = try #require(WebhookRoute("http://A/hook"))
        #expect(route.answered(status: 307, location: "http://a:80/") == .redirected && route.isSameOrigin)
        #expect(route.answered(status: 307, location: location) == .redirected && !route.isSameOrigin)
        if !location.hasPrefix("https") {
            #expect(route.answered(status: 307, location: "http://a/") == .redirected && !route.isSameOrigin)
        }
    }

    @Test("redirects from https to http, to other schemes, and to nowhere are failures")
    func refused() throws {
        var route = try #require(WebhookRoute("https://a/hook"))
        for location in ["http://a/hook", "file:///etc/passwd", "gopher://b", nil] {
            guard case .failed(let reason) = route.answered(status: 308, location: location) else {
                Issue.record("followed to \(location ?? "nowhere")")
                continue
            }
            #expect(reason.hasPrefix("HTTP 308: redirected"))
        }
    }

    @Test("the address in a failure cannot carry control characters")
    func printable() throws {
        var route = try #require(WebhookRoute("http://a/"))
        guard case .failed(let reason) = route.answered(status: 307, location: "gopher:\u{1B}[31m") else {
            Issue.record("followed")
            return
        }
        #expect(PrintableText.firstUnprintable(in: reason) == nil)
    }
}
