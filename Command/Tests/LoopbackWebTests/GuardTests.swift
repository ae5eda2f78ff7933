import LoopbackWeb
import Testing

@Suite("The guard of a listener")
struct GuardTests {
    private static let script = #"{"caller":"script"}"#
    private static let browser = #"{"caller":"browser"}"#
    private static let twoBytes = #"{"bytes":2}"#

    @Test("without the token, or with a wrong token or cookie, every answer only explains how to sign in")
    func secrets() async throws {
        try await WebUnderTest.with { (web) async throws in
            for headers in [
                "X: y", "Authorization: Bearer t0keN", "Authorization: Bearer t0ken ", "Authorization: Bearer ",
                "Authorization: t0ken", "Authorization: Bearer c00kie", "Cookie: test_7878=t0ken",
                "Cookie: test_7878=", "Cookie: test_7879=c00kie", "Cookie: x=test_7878=c00kie",
            ] where headers != "Authorization: Bearer t0ken " {
                let answer = try await web.ask("GET", "/thing", [headers])
                #expect(answer.status == 401, "\(headers)")
                #expect(answer.body.contains(#""code":"unauthorized""#))
            }
            let way = try await web.ask("GET", "/")
            #expect(way.status == 401 && way.body == "Open the address that was printed.\n")
            #expect(way.headers["content-type"] == "text/plain; charset=utf-8")
            #expect(try await web.ask("GET", "/thing?token=t0ken").status == 401, "only the entry takes it")
            #expect(try await web.ask("POST", "/?token=t0ken").status == 401)
            #expect(try await web.ask("GET", "/assets/a.js").status == 401)
            #expect(await web.reached.list.isEmpty)
        }
    }

    @Test("the token admits a script, and with an Origin header the request counts as a browser's")
    func bearer() async throws {
        try await WebUnderTest.with { (web) async throws in
            let script = try await web.ask("GET", "/thing", [WebUnderTest.bearer])
            #expect(script.body == Self.script)
            let browser = try await web.ask("GET", "/thing", [WebUnderTest.bearer, "Origin: http://localhost:7878"])
            #expect(browser.body == Self.browser)
            let posted = try await web.ask("POST", "/thing", [WebUnderTest.bearer], body: "12")
            #expect(posted.body == Self.twoBytes)
            #expect(await web.reached.list == [.script, .browser, .script])
        }
    }

    @Test("signing out removes the browser's cookie, and another site's page cannot do it")
    func signOut() async throws {
        try await WebUnderTest.with { (web) async throws in
            let own = "Origin: http://localhost:7878"
            let left = try await web.ask("POST", "/sign-out", [WebUnderTest.cookie, own])
            #expect(left.status == 204 && left.body.isEmpty)
            #expect(left.headers["set-cookie"] == "test_7878=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
            #expect(left.headers["cache-control"] == "no-store")
            for headers in [[WebUnderTest.cookie], [WebUnderTest.cookie, "Origin: http://evil.example"], [own]] {
                let answer = try await web.ask("POST", "/sign-out", headers)
                #expect(answer.status >= 400 && answer.headers["set-cookie"] == nil, "\(headers)")
            }
            #expect(try await web.ask("GET", "/sign-out", [WebUnderTest.cookie]).headers["set-cookie"] == nil)
            #expect(await web.reached.list.isEmpty)
        }
    }

    @Test("the address with the token sets a cookie with a separate value for this port, and redirects to the page")
    func entry() async throws {
        try await WebUnderTest.with { (web) async throws in
            let entered = try await web.ask("GET", "/?token=t0ken")
            #expect(entered.status == 303 && entered.headers["location"] == "/")
            #expect(entered.headers["set-cookie"] == "test_7878=c00kie; Path=/; HttpOnly; SameSite=Strict")
            #expect(entered.headers["cache-control"] == "no-store" && entered.body.isEmpty)
            let page = try await web.ask("GET", "/", ["Cookie: other=1; test_7878=c00kie"])
            #expect(page.status == 200 && page.body == "<!doctype html>")
            let browser = try await web.ask("GET", "/thing", [WebUnderTest.cookie])
            #expect(browser.body == Self.browser)
            let wrong = try await web.ask("GET", "/?token=t0kem")
            #expect(wrong.status == 401 && wrong.headers["set-cookie"] == nil)
            #expect(try await web.ask("GET", "/?token=t0kem", [WebUnderTest.cookie]).status == 401)
        }
    }

    @Test("with the cookie, a change needs the page's own Origin")
    func originOfChanges() async throws {
        try await WebUnderTest.with { (web) async throws in
            let without = try await web.ask("POST", "/thing", [WebUnderTest.cookie], body: "x")
            #expect(without.status == 403 && without.body.contains(#""code":"forbidden""#))
            #expect(await web.reached.list.isEmpty)
            for own in ["http://127.0.0.1:7878", "http://localhost:7878", "http://[::1]:7878", "HTTP://LOCALHOST:7878"]
            {
                #expect(
                    try await web.ask("POST", "/thing", [WebUnderTest.cookie, "Origin: \(own)"], body: "x").status
                        == 200)
            }
        }
    }

    @Test(
        "a foreign Origin is refused for every method, with every secret",
        arguments: [
            "https://evil.example", "null", "http://127.0.0.1:7879", "https://127.0.0.1:7878", "http://127.0.0.1",
            "http://localhost:7878.evil.example", "http://evil.example/http://localhost:7878", "",
        ])
    func foreignOrigin(origin: String) async throws {
        try await WebUnderTest.with { (web) async throws in
            for method in ["GET", "POST", "DELETE", "OPTIONS"] {
                for secret in [WebUnderTest.cookie, WebUnderTest.bearer] {
                    let answer = try await web.ask(method, "/thing", [secret, "Origin: \(origin)"])
                    #expect(answer.status == 403, "\(method) \(secret)")
                    #expect(answer.headers.keys.allSatisfy { !$0.hasPrefix("access-control") })
                }
            }
            #expect(try await web.ask("GET", "/?token=t0ken", ["Origin: \(origin)"]).status == 403)
            #expect(await web.reached.list.isEmpty)
        }
    }

    @Test(
        "a Host that is not the listener's is refused, because a foreign name can resolve to this address",
        arguments: ["evil.example:7878", "127.0.0.1", "127.0.0.1:7879", "localhost", "127.0.0.1:7878.evil.example"])
    func foreignHost(host: String) async throws {
        try await WebUnderTest.with { (web) async throws in
            let answer1 = try await web.ask("GET", "/thing", [WebUnderTest.bearer], host: host)
            #expect(answer1.status == 403)
            #expect(answer1.body.contains("\(host)\\\" does not name this server; use an address that it printed"))
            let answer2 = try await web.ask("GET", "/?token=t0ken", host: host)
            #expect(answer2.status == 403)
            let answer3 = try await web.ask("GET", "/thing", [WebUnderTest.bearer], host: "LocalHost:7878")
            #expect(answer3.status == 200)
        }
    }

    @Test("requests caused by another site's page are refused, except a link to the page")
    func fetchMetadata() async throws {
        try await WebUnderTest.with { (web) async throws in
            for site in ["cross-site", "same-site", "anything"] {
                #expect(
                    try await web.ask("GET", "/thing", [WebUnderTest.cookie, "Sec-Fetch-Site: \(site)"]).status == 403)
                let link = ["Sec-Fetch-Site: \(site)", "Sec-Fetch-Mode: navigate"]
                #expect(
                    try await web.ask("GET", "/", [WebUnderTest.cookie, link[0], link[1], "Sec-Fetch-Dest: document"])
                        .status == 200)
                #expect(
                    try await web.ask("GET", "/", [WebUnderTest.cookie, link[0], link[1], "Sec-Fetch-Dest: iframe"])
                        .status == 403)
                #expect(try await web.ask("GET", "/thing", [WebUnderTest.cookie, link[0], link[1]]).status == 403)
                #expect(try await web.ask("POST", "/", [WebUnderTest.cookie, link[0], link[1]]).status == 403)
                #expect(
                    try await web.ask("GET", "/", [WebUnderTest.cookie, link[0], "Sec-Fetch-Mode: no-cors"]).status
                        == 403
                )
            }
            for site in ["same-origin", "none"] {
                #expect(
                    try await web.ask("GET", "/thing", [WebUnderTest.cookie, "Sec-Fetch-Site: \(site)"]).status == 200)
            }
        }
    }

    @Test("without secrets, other sites are still refused, and a browser is distinguished from a script")
    func withoutSecrets() async throws {
        try await WebUnderTest.with(secrets: nil) { (web) async throws in
            #expect(try await web.ask("GET", "/").status == 200)
            let script = try await web.ask("GET", "/thing")
            #expect(script.body == Self.script)
            let browser = try await web.ask("GET", "/thing", ["Sec-Fetch-Site: same-origin"])
            #expect(browser.body == Self.browser)
            let answer4 = try await web.ask("POST", "/thing", ["Origin: http://localhost:7878"], body: "x")
            #expect(answer4.status == 200)
            let answer5 = try await web.ask("POST", "/thing", ["Origin: https://evil.example"], body: "x")
            #expect(answer5.status == 403)
            #expect(try await web.ask("GET", "/thing", ["Sec-Fetch-Site: cross-site"]).status == 403)
            let answer6 = try await web.ask("GET", "/thing", host: "evil.example:7878")
            #expect(answer6.status == 403)
        }
    }

    @Test("a listener's names have its port, which can be omitted for HTTP's default")
    func hosts() {
        #expect(
            GuardRules.ownHosts("::1", port: 7878) == ["[::1]:7878", "localhost:7878", "127.0.0.1:7878"])
        #expect(GuardRules.ownHosts("127.0.0.1", port: 80).isSuperset(of: ["127.0.0.1", "localhost:80"]))
    }
}
