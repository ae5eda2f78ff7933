import ApusClient
import ApusDaemon
import ApusTestSupport
import Foundation
import LoopbackWebTestSupport
import NIOHTTP1
import Testing

@Suite("The dashboard", .timeLimit(.minutes(10)))
struct DashboardTests {
    private static let countdown = #"{"kind":"countdown","trigger":{"after":"PT1H"},"action":{}}"#
    private static let notification = #"{"trigger":{"after":"PT1H"},"action":{"notify":"tea"}}"#
    private static let command =
        #"{"trigger":{"after":"PT1H"},"action":{"command":{"argv":["true"],"shell":false,"env":{}}}}"#
    private static let webhook = #"{"trigger":{"after":"PT1H"},"action":{"webhook":"http://127.0.0.1:1/"}}"#
    /// Returns a notification with a hook of a kind that a page may not submit.
    private static func hook(_ kind: String) -> String {
        let hook =
            kind == "command"
            ? #"{"command":{"argv":["true"],"shell":false,"env":{}}}"# : #"{"webhook":"http://127.0.0.1:1/"}"#
        return #"{"trigger":{"after":"PT1H"},"action":{"notify":"tea","onFailure":[\#(hook)]}}"#
    }

    @Test("the HTTP listener answers only with its token and its own name; its record goes with the daemon")
    func listener() async throws {
        try await ApusUnderTest.with { apus in
            let port = FreePort.any()
            let printed = try await DashboardUnderTest.with(apus, port: port) { dashboard in
                let mode =
                    try FileManager.default.attributesOfItem(atPath: apus.home.httpPath)[.posixPermissions] as? Int
                #expect(mode == 0o600)
                #expect(try await dashboard.ask(.GET, "/v1/health").status == 401)
                let wrong = ("authorization", "Bearer \(dashboard.record.token)x")
                #expect(try await dashboard.ask(.GET, "/v1/health", [wrong]).status == 401)
                let name = ("host", "evil.example:\(port)")
                #expect(try await dashboard.ask(.GET, "/v1/health", [dashboard.bearer, name]).status == 403)
                let origin = ("origin", "http://evil.example")
                #expect(try await dashboard.ask(.GET, "/v1/jobs", [dashboard.bearer, origin]).status == 403)
            }
            #expect(printed.contains("apus: dashboard at http://127.0.0.1:\(port)/?token="), "\(printed)")
            #expect(!printed.contains("Bearer"), "no reader is there")
            #expect(!FileManager.default.fileExists(atPath: apus.home.httpPath))
            #expect(!FileManager.default.fileExists(atPath: apus.home.socketPath))
        }
    }

    @Test("a browser signs in by the printed address, and gets the page and all its files, with the headers")
    func page() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await DashboardUnderTest.with(apus, port: FreePort.any()) { dashboard in
                #expect(try await dashboard.ask(.GET, "/").status == 401)
                let browser = try await dashboard.signIn()
                let page = try await dashboard.ask(.GET, "/", browser)
                #expect(page.status == 200 && page.body.hasPrefix("<!doctype html>"))
                for answer in [
                    page, try await dashboard.ask(.GET, "/v1/jobs", browser), try await dashboard.ask(.GET, "/x"),
                ] {
                    #expect(
                        answer.headers.first(name: "content-security-policy")?.hasPrefix("default-src 'none'") == true)
                    #expect(answer.headers.first(name: "x-content-type-options") == "nosniff")
                }
                let folder = Repository.root.appending(path: "Command/Sources/ApusDaemon/Dashboard/Web")
                for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) where file != "index.html"
                {
                    let answer = try await dashboard.ask(.GET, "/assets/\(file)", browser)
                    let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
                    #expect(answer.status == 200 && answer.body == text, "\(file)")
                    #expect(answer.headers.first(name: "content-type") != "application/octet-stream", "\(file)")
                }
            }
        }
    }

    @Test(
        "a browser submits countdowns and notifications, and no commands and webhooks; a script submits all of them",
        arguments: StoreUnderTest.allCases)
    func submissions(_ store: StoreUnderTest) async throws {
        try await ApusUnderTest.with(store) { apus in
            _ = try await DashboardUnderTest.with(apus, port: FreePort.any()) { dashboard in
                let browser = try await dashboard.signIn()
                for body in [Self.countdown, Self.notification] {
                    #expect(try await dashboard.ask(.POST, "/v1/jobs", browser, body: body).status == 201)
                }
                let withToken = [dashboard.bearer, ("origin", dashboard.record.url)]
                for body in [Self.command, Self.webhook, Self.hook("command"), Self.hook("webhook")] {
                    for headers in [browser, withToken] {
                        let refused = try await dashboard.ask(.POST, "/v1/jobs", headers, body: body)
                        #expect(refused.status == 403 && refused.body.contains(#""code":"forbidden""#))
                    }
                    #expect(try await dashboard.ask(.POST, "/v1/jobs", [dashboard.bearer], body: body).status == 201)
                }
                let withoutOrigin = try await dashboard.ask(
                    .POST, "/v1/jobs", browser.filter { $0.0 != "origin" }, body: Self.countdown)
                #expect(withoutOrigin.status == 403)
                #expect(try await dashboard.ask(.DELETE, "/v1/jobs?all=true", Array(browser.prefix(1))).status == 403)
                #expect(try await dashboard.ask(.DELETE, "/v1/ended?all=true", Array(browser.prefix(1))).status == 403)
                #expect(try await apus.client.jobs().jobs.count == 6)
            }
        }
    }

    @Test("a body that is too large or not JSON is an error in JSON, and the daemon keeps running")
    func bodies() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await DashboardUnderTest.with(apus, port: FreePort.any()) { dashboard in
                let large = String(repeating: "x", count: 10 << 20)
                // The connection ends while the body is sent, which some clients report as an error.
                let answer = try? await dashboard.ask(.POST, "/v1/jobs", [dashboard.bearer], body: large)
                #expect(answer == nil || answer?.status == 413)
                let over = String(repeating: " ", count: 256 * 1024 + 1)
                #expect(try await dashboard.ask(.POST, "/v1/jobs", [dashboard.bearer], body: over).status == 413)
                for body in ["not JSON", "", "[]", #"{"trigger":"#] {
                    let refused = try await dashboard.ask(.POST, "/v1/jobs", [dashboard.bearer], body: body)
                    #expect(refused.status == 400 && refused.body.contains(#""code":"invalid""#), "\(body)")
                }
            }
        }
    }

    @Test("the secrets survive a restart for their owner only, and a file that others could read is replaced")
    func secrets() async throws {
        try await ApusUnderTest.with { apus in
            let port = FreePort.any()
            func mode() throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: apus.home.secretsPath)[.posixPermissions] as? Int
            }
            let tokens = Tokens()
            for round in ["made", "kept", "readable by others", "garbage"] {
                let printed = try await DashboardUnderTest.with(apus, port: port) { dashboard in
                    let browser = await tokens.browser
                    if round == "kept" {
                        #expect(try await dashboard.ask(.GET, "/", browser).status == 200, "an open page keeps working")
                    } else {
                        #expect(try await dashboard.ask(.GET, "/", browser).status == 401)
                    }
                    await tokens.keep(dashboard.record.token, browser: try await dashboard.signIn())
                }
                #expect(try mode() == 0o600, "\(round)")
                #expect(printed.contains("were replaced") == (round != "made" && round != "kept"), "\(printed)")
                if round == "kept" {
                    try FileManager.default.setAttributes(
                        [.posixPermissions: 0o640], ofItemAtPath: apus.home.secretsPath)
                }
                if round == "readable by others" {
                    try Data(#"{"token":"","cookie":""}"#.utf8).write(to: URL(filePath: apus.home.secretsPath))
                }
            }
            let all = await tokens.all
            #expect(all[0] == all[1] && Set(all).count == 3)
        }
    }

    private actor Tokens {
        var all: [String] = []
        var browser: [(String, String)] = []
        func keep(_ token: String, browser: [(String, String)]) {
            all.append(token)
            self.browser = browser
        }
    }

    @Test("of 200 concurrent listeners 64 are served, and nothing of theirs stays after they disconnect")
    func manyStreams() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await DashboardUnderTest.with(apus, port: FreePort.any()) { dashboard in
                let pid = try await apus.client.health().pid
                let before = try Self.residentBytes(of: pid)
                #expect(try await Self.listen(200, to: dashboard) == 64)
                for _ in 0..<4 {
                    // The connections of the previous round are closed one by one, so all places are free only after a
                    // while.
                    try await until("64 places") {
                        let served = try await Self.listen(200, to: dashboard)
                        #expect(served <= 64)
                        return served == 64
                    }
                }
                let after = try Self.residentBytes(of: pid)
                // 1,000 streams of 100 KB each would exceed this.
                #expect(after < before + (64 << 20), "\(before) → \(after)")
            }
        }
    }

    /// Opens event streams concurrently and closes them by releasing their responses.
    ///
    /// - Returns: The number of served streams; the others got the status 503.
    private static func listen(_ count: Int, to dashboard: DashboardUnderTest) async throws -> Int {
        try await withThrowingTaskGroup(of: TestAnswer.self) { group in
            for _ in 0..<count { group.addTask { try await dashboard.open("/v1/events", [dashboard.bearer]) } }
            var responses: [TestAnswer] = []
            for try await response in group { responses.append(response) }
            #expect(try await dashboard.ask(.GET, "/v1/health", [dashboard.bearer]).status == 200)
            let refused = responses.filter { $0.status == 503 }
            #expect(refused.allSatisfy { $0.headers.first(name: "retry-after") == "5" })
            let served = responses.count { $0.status == 200 }
            #expect(served + refused.count == count)
            return served
        }
    }

    private static func residentBytes(of process: Int32) throws -> Int {
        let pages = try String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8).split(separator: " ")
        return try #require(Int(pages[1])) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    @Test("a taken port and an address that others can reach are refused with a remedy")
    func addresses() async throws {
        try await ApusUnderTest.with { apus in
            let port = FreePort.any()
            _ = try await DashboardUnderTest.with(apus, port: port) { _ in
                try await ApusUnderTest.with { other in
                    let answer = try await other("serve", "--http", "127.0.0.1:\(port)")
                    #expect(answer.code == 1 && answer.err.contains("another program listens"), "\(answer)")
                }
            }
            for (arguments, hint) in [
                (["0.0.0.0:\(port)"], "--http-allow-remote"),
                (["0.0.0.0:\(port)", "--http-allow-remote"], "--http-host NAME:PORT"),
                (["0.0.0.0:\(port)", "--http-allow-remote", "--http-host", "server"], "NAME:PORT"),
                (["127.0.0.1:\(port)", "--http-host", "server:\(port)"], "--http-allow-remote"),
            ] {
                let answer = try await apus.call(["serve", "--http"] + arguments)
                #expect(answer.code == 64 && answer.err.contains(hint), "\(answer)")
            }
        }
    }

    @Test("through a TLS proxy, the page's origin is https, its cookie is Secure, and it can submit")
    func proxy() async throws {
        try await ApusUnderTest.with { apus in
            let port = FreePort.any()
            let served = try await apus.serve("--http", "127.0.0.1:\(port)", "--http-host", "https://jobs.example")
            let record = try JSONDecoder().decode(
                DashboardUnderTest.Record.self, from: Data(contentsOf: URL(filePath: apus.home.httpPath)))
            let dashboard = DashboardUnderTest(apus: apus, record: record)
            let host = ("host", "jobs.example")
            let entered = try await dashboard.ask(.GET, "/?token=\(record.token)", [host])
            let cookie = try #require(entered.headers.first(name: "set-cookie"))
            #expect(entered.status == 303 && cookie.hasSuffix("; Secure"))
            let browser = [host, ("cookie", String(cookie.prefix { $0 != ";" })), ("sec-fetch-site", "same-origin")]
            for (origin, status) in [("https://jobs.example", 201), ("http://jobs.example", 403)] {
                let answer = try await dashboard.ask(
                    .POST, "/v1/jobs", browser + [("origin", origin)], body: Self.countdown)
                #expect(answer.status == status, "\(origin)")
            }
            #expect(try await apus("stop").code == 0)
            #expect(try await served.value.code == 0)
        }
    }

    @Test("a listener that others can reach answers to its name only")
    func remoteName() async throws {
        try await ApusUnderTest.with { apus in
            let port = FreePort.any()
            let served = try await apus.serve(
                "--http", "0.0.0.0:\(port)", "--http-allow-remote", "--http-host", "server.example:\(port)")
            let record = try JSONDecoder().decode(
                DashboardUnderTest.Record.self, from: Data(contentsOf: URL(filePath: apus.home.httpPath)))
            #expect(record.url == "http://127.0.0.1:\(port)")
            let dashboard = DashboardUnderTest(apus: apus, record: record)
            for (host, status) in [
                ("server.example:\(port)", 200), ("127.0.0.1:\(port)", 200), ("other.example:\(port)", 403),
                ("0.0.0.0:\(port)", 403),
            ] {
                let answer = try await dashboard.ask(.GET, "/v1/health", [dashboard.bearer, ("host", host)])
                #expect(answer.status == status, "\(host)")
            }
            #expect(try await apus("stop").code == 0)
            #expect(try await served.value.code == 0)
        }
    }
}
