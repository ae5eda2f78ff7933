import ApusClient
import ApusJobs
import ApusTimers
import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Where a webhook goes, and with what.
struct WebhookTarget: Hashable, Sendable {
    var url: String
    var headers: [String: String] = [:]
    /// Absolute.
    var secretFile: String?
}

/// What a receiver answered.
struct WebhookAnswer: Hashable, Sendable {
    /// Why it does not count as delivered; `nil` if it does.
    var failure: String?
    /// The beginning of the answer's body.
    var beginning: [UInt8] = []
}

/// Posts webhooks.
struct WebhookPoster: Sendable {
    /// How much of an answer is kept. The rest is not read: the connection is closed.
    static let keptBytes = 16 * 1024

    /// Lives as long as the process. Redirects are followed by `WebhookRoute`'s rules, and a refused connection is tried
    /// again by the job's retry policy.
    static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    var time: any TimeSource
    /// How long a webhook may take, from the name's resolution to the end of the answer's body, redirects included.
    var patience: Duration = .seconds(30)

    /// Posts a JSON body.
    ///
    /// - Parameters:
    ///   - body: the JSON.
    ///   - id: the same for each attempt at one delivery, so that the receiver can recognize a repetition.
    ///   - target: where it goes, and with what.
    /// - Returns: the beginning of the answer, and why it does not count as delivered.
    /// - Throws: `CancellationError` when the task is cancelled; anything else that goes wrong is in the answer.
    func post(_ body: [UInt8], id: String, to target: WebhookTarget) async throws -> WebhookAnswer {
        do {
            let signature = try target.secretFile.map { try WebhookSignature.reading($0) }
            return try await within(patience) { try await deliver(body, id: id, to: target, signature) }
        } catch is DeadlineExceeded {
            return WebhookAnswer(failure: "no complete answer within \(DurationText.format(patience))")
        } catch {
            try Task.checkCancellation()
            return WebhookAnswer(failure: PrintableText.escaped(WebhookProblem(error).text))
        }
    }

    private func deliver(
        _ body: [UInt8], id: String, to target: WebhookTarget, _ signature: WebhookSignature?
    ) async throws -> WebhookAnswer {
        guard var route = WebhookRoute(target.url) else {
            throw WebhookProblem(
                "\(PrintableText.escaped(URLText.shown(target.url))) is not an http:// or https:// URL")
        }
        while true {
            var request = HTTPClientRequest(url: route.address)
            request.method = .POST
            request.headers.add(name: "content-type", value: "application/json")
            request.headers.add(name: "user-agent", value: "apus/\(ApusVersion.current)")
            request.headers.add(name: "idempotency-key", value: id)
            if route.isSameOrigin {
                for (name, value) in target.headers { request.headers.replaceOrAdd(name: name, value: value) }
                if let signature {
                    let timestamp = time.wall().nanoseconds / 1_000_000_000
                    request.headers.add(name: "webhook-id", value: id)
                    request.headers.add(name: "webhook-timestamp", value: String(timestamp))
                    request.headers.add(
                        name: "webhook-signature",
                        value: signature.header(id: id, timestamp: Int64(timestamp), body: body))
                }
            }
            request.body = .bytes(body)
            // The deadline is that of `post`: one of `execute` would end with the answer's head.
            let response = try await Self.http.execute(request, deadline: .distantFuture)
            switch route.answered(
                status: Int(response.status.code), location: response.headers.first(name: "location"))
            {
            case .redirected: continue
            case .delivered: return WebhookAnswer(beginning: try await Self.beginning(of: response.body))
            case .failed(let reason):
                return WebhookAnswer(failure: reason, beginning: (try? await Self.beginning(of: response.body)) ?? [])
            }
        }
    }

    private static func beginning(of body: HTTPClientResponse.Body) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in body {
            bytes.append(contentsOf: chunk.readableBytesView.prefix(keptBytes - bytes.count))
            if bytes.count >= keptBytes { break }
        }
        return bytes
    }
}
