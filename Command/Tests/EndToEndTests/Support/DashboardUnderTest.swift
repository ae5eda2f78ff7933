import ApusClient
import ApusTestSupport
import Foundation
import LoopbackWebTestSupport
import NIOHTTP1
import Testing

/// A daemon with an HTTP listener, and a client of it.
struct DashboardUnderTest: Sendable {
    struct Record: Codable, Sendable {
        var url: String
        var token: String
    }

    struct Reply: Sendable {
        var status: Int
        var headers: HTTPHeaders
        var body: String
    }

    let apus: ApusUnderTest
    let record: Record
    var bearer: (String, String) { ("authorization", "Bearer \(record.token)") }

    /// Runs `serve --http` while `body` runs, and returns what it printed to standard error.
    static func with(
        _ apus: ApusUnderTest, port: Int, _ body: @Sendable (DashboardUnderTest) async throws -> Void
    ) async throws -> String {
        let served = try await apus.serve("--http", "127.0.0.1:\(port)")
        let record = try JSONDecoder().decode(Record.self, from: Data(contentsOf: URL(filePath: apus.home.httpPath)))
        let dashboard = DashboardUnderTest(apus: apus, record: record)
        try await until("the listener") {
            try await dashboard.ask(.GET, "/v1/health", [dashboard.bearer]).status == 200
        }
        try await body(dashboard)
        #expect(try await apus("stop").code == 0)
        let answer = try await served.value
        #expect(answer.code == 0, "\(answer)")
        return answer.err
    }

    func ask(
        _ method: HTTPMethod, _ path: String, _ headers: [(String, String)] = [], body: String? = nil,
        onSocket: Bool = false
    ) async throws -> Reply {
        let request =
            onSocket
            ? TestRequest(path, to: .socket(apus.home.socketPath), method: method, headers: headers, body: body)
            : try TestRequest(url: record.url + path, method: method, headers: headers, body: body)
        let (status, headers, body) = try await request.answer()
        return Reply(status: status, headers: headers, body: body)
    }

    /// Sends a request and returns the answer without reading its body.
    func open(_ path: String, _ headers: [(String, String)]) async throws -> TestAnswer {
        try await TestRequest(url: record.url + path, headers: headers).open()
    }

    /// Opens the page as a browser does, and returns the headers that it sends from then on.
    func signIn() async throws -> [(String, String)] {
        let entered = try await ask(.GET, "/?token=\(record.token)")
        #expect(entered.status == 303 && entered.headers.first(name: "location") == "/")
        let cookie = try #require(entered.headers.first(name: "set-cookie")?.split(separator: ";").first)
        return [("cookie", String(cookie)), ("origin", record.url), ("sec-fetch-site", "same-origin")]
    }
}
