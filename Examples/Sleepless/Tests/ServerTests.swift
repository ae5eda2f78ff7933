import Foundation
import Logging
import LoopbackWeb
import LoopbackWebTestSupport
import NIOCore
import NIOHTTP1
import SleeplessApp
import Testing

@testable import Sleepless

/// A few requests over a real socket; the controls themselves are tested without a server.
@MainActor
@Suite("The server of Sleepless", .timeLimit(.minutes(1)))
struct ServerTests {
    private struct Problem: Decodable {
        struct Content: Decodable { var code: String }
        var error: Content
    }

    private func withServer(
        port: Int = 0, secrets: GuardRules.Secrets? = nil, _ body: @MainActor (String) async throws -> Void
    ) async throws {
        let page = URL(fileURLWithPath: "none", isDirectory: true)
        let phone = PhoneStage(seed: 0, speed: 1, lives: false)
        let server = SleeplessServer(.init(port: port, page: page, secrets: secrets), stage: phone)
        let (addresses, found) = AsyncStream.makeStream(of: String.self)
        let running = Task {
            defer { found.finish() }
            try await server.run(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) { found.yield($0) }
        }
        for await address in addresses.prefix(1) { try await body(address) }
        phone.feed.events.close()
        running.cancel()
        // If the server could not start, the test fails with the server's error.
        if case .failure(let error) = await running.result, !(error is CancellationError) { throw error }
    }

    private func request(
        _ method: HTTPMethod, _ url: String, _ body: String? = nil, _ headers: [(String, String)] = []
    ) async throws -> (status: Int, headers: HTTPHeaders, body: Data) {
        let answer = try await TestRequest(url: url, method: method, headers: headers, body: body).open()
        return (answer.status, answer.headers, Data(try await answer.body().readableBytesView))
    }

    private func code(_ data: Data) throws -> String { try JSONDecoder().decode(Problem.self, from: data).error.code }

    @Test("the screen, a control, a tap, and what is refused")
    func requests() async throws {
        try await withServer { address in
            let screen = try await request(.GET, "\(address)screen")
            #expect(screen.status == 200)
            // Absent values are encoded as null.
            #expect(String(decoding: screen.body, as: UTF8.self).contains(#""app":null"#))
            #expect(screen.headers.first(name: "content-security-policy")?.contains("media-src 'self'") == true)
            let early = try await request(.POST, "\(address)app/completion/start")
            #expect(early.status == 409)
            #expect(try code(early.body) == "notInFront")
            #expect(try await request(.POST, "\(address)device/open").status == 200)
            #expect(try await request(.POST, "\(address)app/todo/add", #"{"title":"Milk"}"#).status == 200)
            let bad = try await request(.POST, "\(address)app/todo/add", #"{"title":1}"#)
            #expect(bad.status == 400)
            #expect(try code(bad.body) == "invalid")
            #expect(try await request(.POST, "\(address)app/todo/complete", #"{"id":9}"#).status == 404)
            #expect(try await request(.POST, "\(address)device/foo").status == 404)
            let large = String(repeating: " ", count: 70_000)
            #expect(try await request(.POST, "\(address)device/home", large).status == 413)
            let foreign = [("Origin", "http://example.org")]
            #expect(try await request(.POST, "\(address)device/home", nil, foreign).status == 403)
            #expect(try await request(.GET, "\(address)screen", nil, [("Host", "example.org")]).status == 403)
            #expect(try await request(.GET, "\(address)device/log?after=2").status == 200)
            #expect(try await request(.GET, "\(address)device/log?after=x").status == 400)
        }
    }

    @Test("a track is sent whole or in the piece that is asked for, and unknown files are not there")
    func files() async throws {
        try await withServer { address in
            let whole = try await request(.GET, "\(address)tracks/dawn.wav")
            #expect(whole.status == 200)
            #expect(whole.headers.first(name: "content-type") == "audio/wav")
            let piece = try await request(.GET, "\(address)tracks/dawn.wav", nil, [("Range", "bytes=44-143")])
            #expect(piece.status == 206)
            #expect(piece.body == whole.body[44..<144])
            #expect(piece.headers.first(name: "content-range") == "bytes 44-143/\(whole.body.count)")
            for path in ["tracks/noise.wav", "tracks/dawn", "assets/..%2Fx", "assets/.hidden", "nothing"] {
                #expect(try await request(.GET, address + path).status == 404, "\(path)")
            }
        }
    }

    @Test("the events begin with the screen and the log, and continue with what happens")
    func events() async throws {
        try await withServer { address in
            let response = try await TestRequest(url: "\(address)events").open()
            #expect(response.headers.first(name: "content-type") == "text/event-stream")
            var text = ""
            var hasOpened = false
            for try await bytes in response {
                text += String(buffer: bytes)
                if !hasOpened, text.contains("event: screen"), text.contains("event: log") {
                    hasOpened = true
                    #expect(try await request(.POST, "\(address)device/open").status == 200)
                }
                if text.contains("phase active"), text.contains(#""process":"active""#) { break }
            }
            #expect(hasOpened)
        }
    }

    @Test("an hour of vibrations is sent as changes of the screen, not one by one")
    func vibrations() async throws {
        try await withServer { address in
            let response = try await TestRequest(url: "\(address)events").open()
            #expect(try await request(.POST, "\(address)device/open").status == 200)
            let timer = #"{"delay":0.5,"repeat":0.5}"#
            #expect(try await request(.POST, "\(address)app/timer/go", timer).status == 200)
            async let advanced = request(.POST, "\(address)device/advance", #"{"seconds":3600}"#)
            var text = ""
            for try await bytes in response {
                text += String(buffer: bytes)
                if text.contains(#""vibrations":7200"#) { break }
            }
            #expect(try await advanced.status == 200)
            let others = text.split(separator: "\n").filter { $0.hasPrefix("event: ") && $0 != "event: screen" }
            // In ten seconds of the phone, the log has at most one page of lines.
            #expect(others.count < 400)
            #expect(!others.contains("event: lost"))
        }
    }

    @Test("nothing is encoded while no page listens")
    func unheard() async throws {
        let phone = PhoneStage(seed: 0, speed: 1, lives: false)
        try await phone.control("open", Arguments(Data()))
        try phone.appInFront().timer.go(delay: 0.5, repeat: 0.5)
        try await phone.control("advance", Arguments(Data(#"{"seconds":60}"#.utf8)))
        #expect(phone.screen().app?.timer.vibrations == 120)
        #expect(phone.feed.made == 0)
    }

    @Test("with a secret, requests without it are refused")
    func token() async throws {
        try await withServer(secrets: .init(token: "abc", cookie: "def")) { address in
            #expect(address.hasSuffix("/?token=abc"))
            let base = String(address.dropLast("?token=abc".count))
            let refused = try await request(.GET, "\(base)screen")
            #expect(refused.status == 401)
            let headers = [("Authorization", "Bearer abc")]
            #expect(try await request(.GET, "\(base)screen", nil, headers).status == 200)
        }
    }

    @Test("a port that is taken is an error")
    func taken() async throws {
        try await withServer { address in
            let isServed = try await request(.GET, "\(address)screen").status == 200
            #expect(isServed)
            let port = try #require(URL(string: address)?.port)
            await #expect(throws: IOError.self) { try await withServer(port: port) { _ in } }
        }
    }
}
