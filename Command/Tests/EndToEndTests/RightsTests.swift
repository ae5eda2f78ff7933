import ApusJobs
import ApusTimers
import Foundation
import Hummingbird
import NIOHTTP1
import Testing

@testable import ApusClient
@testable import ApusDaemon

/// Compares every route of the API with the table in SECURITY.md.
@Suite("Rights of the API", .timeLimit(.minutes(10)))
struct RightsTests {
    /// The credentials of a request.
    private enum Credential: CaseIterable {
        case none, cookieWithOrigin, cookieAlone, token, tokenWithOrigin, socket
    }

    /// Returns `METHOD /path` of each row, and whether a page may send it.
    private static func table() throws -> [String: Bool] {
        let text = try Repository.text("SECURITY.md")
        var table: [String: Bool] = [:]
        for line in text.components(separatedBy: "\n") where line.hasPrefix("|") {
            let cells = line.components(separatedBy: "|")
            for (index, word) in (cells.count > 3 ? cells[2] : "").components(separatedBy: "`").enumerated()
            where index % 2 == 1 {
                #expect(table.updateValue(cells[3] != " no ", forKey: word) == nil, "\(word) has two rows")
            }
        }
        return table
    }

    /// Returns `METHOD /path` of each registered route.
    private static func routes(_ home: Home) throws -> Set<String> {
        let store = MemoryStore()
        let scheduler = JobScheduler(store: store)
        let routes = Routes(
            scheduler: scheduler, jobs: JobDirectory(scheduler: scheduler, random: SystemRandom()),
            events: EventFeeds(),
            home: home, identity: try #require(HomeIdentity("/")), store: .sqlite(path: home.databasePath),
            node: .ofThisMachine, nodes: NodeDirectory(store), queues: QueueDirectory(store, scheduler),
            metrics: .ofJobs(), started: WallInstant(secondsSince1970: 0), running: { 0 }, stop: {})
        return Set(routes.onSocket().routes.map { "\($0.method) \($0.path)" })
    }

    @Test("every route accepts exactly the credentials in the table of SECURITY.md")
    func everyRoute() async throws {
        try await ApusUnderTest.with { apus in
            let table = try Self.table()
            #expect(try Self.routes(apus.home) == Set(table.keys))
            _ = try await DashboardUnderTest.with(apus, port: FreePort.any()) { dashboard in
                let page = try await dashboard.signIn()
                let origin = ("origin", dashboard.record.url)
                for (route, pageMay) in table {
                    let (verb, path) = (route.prefix { $0 != " " }, route.drop { $0 != " " }.dropFirst())
                    let isRead = verb == "GET"
                    // No route accepts the parameter `nothing`, so an admitted request is answered with 400 and has no
                    // effect.
                    let uri =
                        path.replacingOccurrences(of: "{", with: "").replacingOccurrences(of: "}", with: "")
                        + "?nothing=1"
                    for credential in Credential.allCases {
                        let (headers, refusal): ([(String, String)], Int?) =
                            switch credential {
                            case .none: ([], 401)
                            case .cookieWithOrigin: (page, pageMay ? nil : 403)
                            case .cookieAlone: (page.filter { $0.0 != "origin" }, isRead ? nil : 403)
                            case .token: ([dashboard.bearer], nil)
                            case .tokenWithOrigin: ([dashboard.bearer, origin], pageMay ? nil : 403)
                            case .socket: ([], nil)
                            }
                        let reply = try await dashboard.ask(
                            HTTPMethod(rawValue: String(verb)), uri, headers, body: isRead ? nil : "{}",
                            onSocket: credential == .socket)
                        #expect(reply.status == refusal ?? 400, "\(route) with \(credential): \(reply)")
                    }
                }
            }
        }
    }

    @Test("a page's submission does not change a job that the command line turns into a command meanwhile")
    func definitionsAtOnce() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await DashboardUnderTest.with(apus, port: FreePort.any()) { dashboard in
                let page = try await dashboard.signIn()
                for round in 0..<100 {
                    func submission(_ name: String, _ action: Action) -> WireSubmission {
                        WireSubmission(
                            name: name, trigger: WireTrigger(every: "PT1H"), action: action, conflict: "update")
                    }
                    let name = "job\(round)"
                    _ = try await apus.client.submit(submission(name, Action(notify: "first")))
                    let body = String(
                        decoding: try JSONEncoder().encode(submission(name, Action(notify: "page"))), as: UTF8.self)
                    async let command = apus.client.submit(
                        submission(name, Action(command: .init(argv: ["true"], shell: false, cwd: "/"))))
                    async let other = dashboard.ask(.POST, "/v1/jobs", page, body: body)
                    let (made, answer) = try await (command, other)
                    #expect([200, 403].contains(answer.status), "\(answer)")
                    // In either order, the job runs the command at the end, because a page may not change a job with a
                    // command.
                    #expect(try await apus.client.job(made.id).action.command != nil, "round \(round)")
                }
            }
        }
    }

    @Test("a page can change or replace only jobs that show texts before and after the change")
    func definitions() async throws {
        try await ApusUnderTest.with { apus in
            _ = try await DashboardUnderTest.with(apus, port: FreePort.any()) { dashboard in
                let page = try await dashboard.signIn()
                func status(_ method: HTTPMethod, _ path: String, _ body: String) async throws -> Int {
                    try await dashboard.ask(method, path, page, body: body).status
                }
                let submitted = try await apus.client.submit(
                    WireSubmission(
                        name: "backup", trigger: WireTrigger(every: "PT1H"),
                        action: Action(command: .init(argv: ["true"]))))
                let command = try await apus.client.job(submitted.id)
                _ = try await apus.client.submit(
                    WireSubmission(name: "tea", trigger: WireTrigger(every: "PT1H"), action: Action(notify: "tea")))
                let changes = [
                    #"{"name":"other"}"#, #"{"trigger":{"every":"PT2H"}}"#, #"{"policies":{"overlap":"allow"}}"#,
                    #"{"labels":{"a":"b"}}"#, #"{"queue":"slow"}"#, #"{"action":{"notify":"gone"}}"#,
                ]
                let commandAfter = #"{"action":{"command":{"argv":["true"]}}}"#
                for change in changes + [commandAfter] {
                    #expect(try await status(.PATCH, "/v1/jobs/backup", change) == 403, "\(change)")
                }
                #expect(try await status(.PATCH, "/v1/jobs/tea", commandAfter) == 403)
                func submission(_ name: String, _ conflict: String) -> String {
                    #"{"name":"\#(name)","conflict":"\#(conflict)","trigger":{"after":"PT2H"},"action":{"notify":"x"}}"#
                }
                for (conflict, expected) in [("update", 403), ("replace", 403), ("keep", 200)] {
                    let answer = try await status(.POST, "/v1/jobs", submission("backup", conflict))
                    #expect(answer == expected, "\(conflict)")
                }
                #expect(try await apus.client.job(command.id) == command)
                #expect(try await status(.POST, "/v1/jobs", submission("tea", "update")) == 200)

                // A submission also finds an existing job by its unique key. This job runs a command, so a page may not
                // change or replace it.
                let keyed = try await apus.client.submit(
                    WireSubmission(
                        trigger: WireTrigger(every: "PT1H"), action: Action(command: .init(argv: ["true"])),
                        unique: WireUniqueness(key: "17")))
                let before = try await apus.client.job(keyed.id)
                for (more, expected) in [
                    (#""conflict":"update""#, 403), (#""conflict":"replace""#, 403), (#""conflict":"keep""#, 200),
                    (#""conflict":"update","name":"new""#, 403), (#""name":"new""#, 200),
                ] {
                    let answer = try await status(
                        .POST, "/v1/jobs",
                        #"{"unique":{"key":"17"},\#(more),"trigger":{"after":"PT2H"},"action":{"notify":"x"}}"#)
                    #expect(answer == expected, "\(more)")
                }
                #expect(try await apus.client.job(keyed.id) == before)
                let free =
                    #"{"unique":{"key":"18"},"conflict":"update","trigger":{"after":"PT2H"},"action":{"notify":"x"}}"#
                for _ in 0..<2 { #expect([200, 201].contains(try await status(.POST, "/v1/jobs", free))) }
                for change in changes.dropFirst() { #expect(try await status(.PATCH, "/v1/jobs/tea", change) == 200) }
            }
        }
    }
}
