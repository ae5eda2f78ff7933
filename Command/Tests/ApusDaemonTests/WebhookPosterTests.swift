import ApusTimers
import ApusVirtualTime
import Foundation
import Hummingbird
import NIOCore
import Testing

@testable import ApusClient
@testable import ApusDaemon

@Suite("Posting webhooks")
struct WebhookPosterTests {
    private let poster = WebhookPoster(time: SystemTime())

    private static func answer(
        _ status: HTTPResponse.Status, to location: String? = nil, _ body: String = ""
    ) -> Response {
        var headers = HTTPFields()
        if let location { headers[.location] = location }
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: body)))
    }

    @Test(
        "a redirect that would drop the body is a failure, and the new address gets no request",
        arguments: [301, 302, 303])
    func toGET(status: Int) async throws {
        try await Receiver(answering: { _, _ in Self.answer(.init(code: status), to: "/new") }).serve { receiver in
            let answer = try await poster.post(Array("{}".utf8), id: "i", to: .init(url: receiver.url("/hook")))
            #expect(answer.failure == "HTTP \(status): redirected to \(receiver.url("/new")); use that address")
            #expect(receiver.requests.map(\.path) == ["/hook"])
        }
    }

    @Test("a redirect that keeps the body is followed; another host gets neither the job's headers nor a signature")
    func followed() async throws {
        let secret = FileManager.default.temporaryDirectory.path + "/apus-secret-\(UUID().uuidString.prefix(8))"
        try Data("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n".utf8).write(to: URL(filePath: secret))
        defer { try? FileManager.default.removeItem(atPath: secret) }
        try await Receiver(answering: { request, port in
            switch request.path {
            case "/first": Self.answer(.permanentRedirect, to: "/second")
            case "/second": Self.answer(.temporaryRedirect, to: "http://localhost:\(port)/third")
            default: Self.answer(.ok, "thanks")
            }
        }).serve { receiver in
            let target = WebhookTarget(
                url: receiver.url("/first"), headers: ["authorization": "Bearer x", "X-Key": "y"], secretFile: secret)
            let answer = try await poster.post(Array("{\"a\":1}".utf8), id: "the-id", to: target)
            #expect(answer == WebhookAnswer(failure: nil, beginning: Array("thanks".utf8)))
            let requests = receiver.requests
            #expect(requests.map(\.path) == ["/first", "/second", "/third"])
            #expect(requests.allSatisfy { $0.method == "POST" && $0.body == "{\"a\":1}" })
            #expect(requests.allSatisfy { $0.headers["idempotency-key"] == "the-id" })
            for name in ["authorization", "x-key", "webhook-id", "webhook-timestamp", "webhook-signature"] {
                #expect(requests.map { $0.headers[name] != nil } == [true, true, false], "\(name)")
            }
        }
    }

    @Test("a redirect is followed without waiting for its body, and the user of a URL is authorized")
    func longRedirect() async throws {
        try await Receiver(answering: { request, _ in
            if request.path == "/new" { return Self.answer(.ok, "thanks") }
            return Response(
                status: .permanentRedirect, headers: [.location: "/new"],
                body: .init { writer in
                    // The body does not end before the client has closed the connection.
                    while true { try await writer.write(ByteBuffer(string: String(repeating: "b", count: 10_000))) }
                })
        }).serve { receiver in
            var patient = poster
            patient.patience = .seconds(3_600)
            let url = receiver.url("/old").replacing("http://", with: "http://u:p@")
            let answer = try await patient.post(Array("{}".utf8), id: "i", to: .init(url: url))
            #expect(answer == WebhookAnswer(failure: nil, beginning: Array("thanks".utf8)))
            #expect(receiver.requests.map { $0.headers["authorization"] } == ["Basic dTpw", "Basic dTpw"])
        }
    }

    @Test("a header with a line break is sent nowhere")
    func brokenHeader() async throws {
        try await Receiver(answering: { _, _ in Self.answer(.ok) }).serve { receiver in
            let answer = try await poster.post([], id: "i\r\nX: y", to: .init(url: receiver.url("/hook")))
            #expect(answer.failure == "the header idempotency-key has a control character")
            #expect(receiver.requests.isEmpty)
        }
    }

    @Test("a signature is that of the Standard Webhooks specification")
    func signature() throws {
        let signature = try WebhookSignature(secret: "  whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
        let header = signature.header(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8))
        #expect(header == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        for bad in ["", " \n", "whsec_", "whsec_***"] {
            #expect(throws: WebhookProblem.self) { try WebhookSignature(secret: bad) }
        }
    }

    @Test("a secret that cannot be read is a failure that names the file, and nothing is posted")
    func missingSecret() async throws {
        try await Receiver(answering: { _, _ in Self.answer(.ok) }).serve { receiver in
            let answer = try await poster.post(
                [], id: "i", to: .init(url: receiver.url("/hook"), secretFile: "/no/such/file"))
            #expect(answer.failure?.contains("/no/such/file") == true && receiver.requests.isEmpty)
        }
    }

    @Test("a secret that is not UTF-8 is a failure, so that no other key signs")
    func binarySecret() async throws {
        let secret = FileManager.default.temporaryDirectory.path + "/apus-secret-\(UUID().uuidString.prefix(8))"
        try Data([0x61, 0xFF]).write(to: URL(filePath: secret))
        defer { try? FileManager.default.removeItem(atPath: secret) }
        try await Receiver(answering: { _, _ in Self.answer(.ok) }).serve { receiver in
            let answer = try await poster.post([], id: "i", to: .init(url: receiver.url("/hook"), secretFile: secret))
            #expect(answer.failure?.contains("is not UTF-8") == true && receiver.requests.isEmpty)
        }
    }

    @Test("a failure below HTTP is described in words, without the URL's password")
    func wordsOfFailures() async throws {
        // Nothing listens on port 1.
        let refused = try await poster.post([], id: "i", to: .init(url: "http://127.0.0.1:1/hook"))
        #expect(refused.failure == "cannot connect to 127.0.0.1:1 (Connection refused)")
        let sixth = try await poster.post([], id: "i", to: .init(url: "http://[::1]:1/hook"))
        #expect(sixth.failure?.hasPrefix("cannot connect to [::1]:1 (") == true)
        let unknown = try await poster.post([], id: "i", to: .init(url: "http://absent.invalid/hook"))
        #expect(unknown.failure == "the name absent.invalid cannot be resolved")
        let bad = try await poster.post([], id: "i", to: .init(url: "ftp://u:hidden@h/p"))
        #expect(bad.failure == "ftp://u:***@h/p is not an http:// or https:// URL")
        #expect(Action(webhook: "https://u:a@b:c@h/p@q").text == "POST https://u:***@h/p@q")
        #expect(Action(webhook: "https://h/p:x@q").text == "POST https://h/p:x@q")
    }

    @Test("a changed webhook keeps its headers only on the same server, and without a webhook no secret is kept")
    func changedWebhook() {
        var action = Action(
            webhook: "https://a.example/1", webhookHeaders: ["Authorization": "Bearer x"], webhookSecretFile: "/s")
        #expect(action.setWebhook("https://A.example:443/2") == [] && action.webhookHeaders != nil)
        #expect(action.setWebhook("http://a.example/2") == ["Authorization"] && action.webhookHeaders == nil)
        action.removeUnusedSecret()
        #expect(action.webhookSecretFile == "/s")
        #expect(action.setWebhook(nil) == [])
        action.onFailure = [.init(webhook: "https://b.example")]
        action.removeUnusedSecret()
        #expect(action.webhookSecretFile == "/s", "the hook's is signed with it")
        action.onFailure = nil
        action.removeUnusedSecret()
        #expect(action.webhookSecretFile == nil)
    }

    @Test("the beginning of a long answer is kept, without waiting for the rest")
    func longAnswer() async throws {
        try await Receiver(answering: { _, _ in
            Response(
                status: .ok,
                body: .init { writer in
                    try await writer.write(ByteBuffer(string: String(repeating: "a", count: 100_000)))
                    // The body does not end before the client has closed the connection.
                    while true { try await writer.write(ByteBuffer(string: String(repeating: "b", count: 10_000))) }
                })
        }).serve { receiver in
            var patient = poster
            patient.patience = .seconds(3_600)
            let answer = try await patient.post([], id: "i", to: .init(url: receiver.url("/hook")))
            #expect(answer.failure == nil)
            #expect(answer.beginning == Array(repeating: UInt8(ascii: "a"), count: 16 * 1024))
        }
    }

    @Test("the time limit covers the body of the answer")
    func slowBody() async throws {
        let (gone, isGone) = AsyncStream.makeStream(of: Void.self)
        try await Receiver(answering: { _, _ in
            Response(
                status: .ok,
                body: .init { writer in
                    try await writer.write(ByteBuffer(string: "a beginning"))
                    for await _ in gone { break }
                    try await writer.finish(nil)
                })
        }).serve { receiver in
            var impatient = poster
            impatient.patience = .milliseconds(200)
            let answer = try await impatient.post([], id: "i", to: .init(url: receiver.url("/hook")))
            #expect(answer.failure == "no complete answer within 200ms")
            isGone.finish()
        }
    }

    @Test("a cancelled post ends before it begins or while it waits for the answer")
    func cancelled() async throws {
        let (asked, isAsked) = AsyncStream.makeStream(of: Void.self)
        let (gone, isGone) = AsyncStream.makeStream(of: Void.self)
        try await Receiver(answering: { _, _ in
            isAsked.finish()
            for await _ in gone { break }
            return Self.answer(.ok)
        }).serve { receiver in
            let target = WebhookTarget(url: receiver.url("/hook"))
            let posting = Task { [poster] in try await poster.post([], id: "i", to: target) }
            for await _ in asked { break }
            posting.cancel()
            await #expect(throws: CancellationError.self) { try await posting.value }
            let late = Task { [poster] in
                while !Task.isCancelled { await Task.yield() }
                return try await poster.post([], id: "i", to: target)
            }
            late.cancel()
            await #expect(throws: CancellationError.self) { try await late.value }
            isGone.finish()
        }
    }

    @Test("an https URL of a server without TLS is a failure")
    func encrypted() async throws {
        try await Receiver(answering: { _, _ in Self.answer(.ok) }).serve { receiver in
            let url = receiver.url("/").replacing("http:", with: "https:")
            let answer = try await poster.post([], id: "i", to: .init(url: url))
            #expect(answer.failure == "the TLS connection failed")
        }
    }

    @Test(
        "headers with line breaks, of the connection, or of apus are refused",
        arguments: [
            "Host: x", "content-length: 3", "Transfer-Encoding: chunked", "connection: close", "webhook-id: 1",
            "X: a\r\nY: b", "X: a\u{0}", "X Y: a", ": a", "no colon", "X\n: a",
        ])
    func badHeaders(text: String) {
        let error = #expect(throws: DaemonError.self) { try WebhookHeaders.parse(text, argument: "--webhook-header") }
        #expect(error?.code == .invalid && error?.message.hasPrefix("--webhook-header: ") == true)
    }

    @Test("a header is parsed from `Name: value`")
    func header() throws {
        let header = try WebhookHeaders.parse("Authorization: Bearer a:b", argument: "--webhook-header")
        #expect(header.name == "Authorization" && header.value == "Bearer a:b")
    }
}
