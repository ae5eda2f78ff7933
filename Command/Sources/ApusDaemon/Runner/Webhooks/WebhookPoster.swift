import ApusCalendar
import ApusClient
import ApusJobs
import ApusTimers

#if canImport(CryptoKit)
    import CryptoKit
#else
    import COpenSSL
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The destination of a webhook, with its headers and its secret.
struct WebhookTarget: Hashable, Sendable {
    var url: String
    var headers: [String: String] = [:]
    /// The absolute path of the file with the secret that signs the request, if it is signed.
    var secretFile: String?
}

struct WebhookAnswer: Hashable, Sendable {
    /// The reason why the webhook does not count as delivered; `nil` if it does.
    var failure: String?
    /// The beginning of the answer's body.
    var beginning: [UInt8] = []
}

struct WebhookPoster: Sendable {
    /// The number of bytes of an answer's body after which the connection is closed.
    static let keptBytes = 16 * 1024

    var time: any TimeSource
    /// The time limit of a webhook, from the resolution of the name to the end of the answer's body, including
    /// redirects.
    var patience: Duration = .seconds(30)

    /// Posts a JSON body.
    ///
    /// - Parameters:
    ///   - body: the JSON.
    ///   - id: the identifier of the delivery, the same for each attempt, so that the receiver can recognize a
    ///     repetition.
    ///   - target: the destination, with its headers and its secret.
    /// - Returns: the beginning of the answer; if the webhook does not count as delivered, also the reason.
    /// - Throws: `CancellationError` if the task is cancelled; all other problems are in the answer.
    func post(_ body: [UInt8], id: String, to target: WebhookTarget) async throws -> WebhookAnswer {
        do {
            let signature = try target.secretFile.map { try WebhookSignature.reading($0) }
            return try await within(patience) { try await deliver(body, id: id, to: target, signature) }
        } catch is DeadlineExceeded {
            return WebhookAnswer(failure: "no complete answer within \(DurationText.format(patience))")
        } catch {
            try Task.checkCancellation()
            let text = (error as? WebhookProblem)?.text ?? "the answer could not be read (\(type(of: error)))"
            return WebhookAnswer(failure: PrintableText.escaped(text))
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
            var headers = ["content-type": "application/json", "user-agent": "apus/\(ApusVersion.current)"]
            headers["idempotency-key"] = id
            if route.isSameOrigin {
                for (name, value) in target.headers { headers[name.lowercased()] = value }
                if let signature {
                    let timestamp = time.wall().nanoseconds / 1_000_000_000
                    headers["webhook-id"] = id
                    headers["webhook-timestamp"] = String(timestamp)
                    headers["webhook-signature"] = signature.header(id: id, timestamp: Int64(timestamp), body: body)
                }
            }
            // This call needs no time limit of its own, because `post` limits the time of the whole delivery.
            let answer = try await HTTPTransport.shared.post(
                HTTPPost(url: route.address, headers: headers, body: body, keptBytes: Self.keptBytes))
            switch route.answered(status: answer.status, location: answer.location) {
            case .redirected: continue
            case .delivered:
                if let problem = answer.problem { throw problem }
                return WebhookAnswer(beginning: answer.body)
            case .failed(let reason): return WebhookAnswer(failure: reason, beginning: answer.body)
            }
        }
    }
}

/// Signs webhooks as the Standard Webhooks specification requires: with HMAC-SHA256 of `id.timestamp.body`.
struct WebhookSignature: Sendable {
    private let key: Data

    /// Creates a signature from a secret: `whsec_` and base64, or any other text, whose bytes are then the key.
    init(secret text: String) throws(WebhookProblem) {
        let secret = text.trimmingWhitespace
        guard !secret.isEmpty else { throw WebhookProblem("is empty") }
        guard secret.utf8.starts(with: "whsec_".utf8) else {
            key = Data(secret.utf8)
            return
        }
        guard let data = Data(base64Encoded: String(secret.dropFirst(6))), !data.isEmpty else {
            throw WebhookProblem("has no base64 after whsec_")
        }
        key = data
    }

    /// Reads the secret from its file.
    ///
    /// The secret is read for each request. It is therefore not in the database, and it is in the daemon's memory only
    /// during a request.
    static func reading(_ path: String) throws(WebhookProblem) -> WebhookSignature {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw WebhookProblem("the secret file \(path) cannot be read")
        }
        let text = data.textLines.joined(separator: [UInt8(ascii: "\n")])
        guard let secret = String(validating: text, as: UTF8.self) else {
            throw WebhookProblem(
                "the secret file \(path) is not UTF-8; write a binary key as whsec_ and base64")
        }
        do { return try WebhookSignature(secret: secret) } catch {
            throw WebhookProblem("the secret file \(path) \(error.text)")
        }
    }

    /// Returns the value of the header `webhook-signature`.
    func header(id: String, timestamp: Int64, body: [UInt8]) -> String {
        var signed = Data("\(id).\(timestamp).".utf8)
        signed.append(contentsOf: body)
        return "v1," + code(of: signed).base64EncodedString()
    }

    private func code(of data: Data) -> Data {
        #if canImport(CryptoKit)
            return Data(HMAC<SHA256>.authenticationCode(for: data, using: SymmetricKey(data: key)))
        #else
            var code = [UInt8](repeating: 0, count: 32)
            let result = key.withUnsafeBytes { key in
                data.withUnsafeBytes { data in
                    let bytes = data.assumingMemoryBound(to: UInt8.self)
                    return HMAC(
                        EVP_sha256(), key.baseAddress, Int32(key.count), bytes.baseAddress, bytes.count, &code, nil)
                }
            }
            precondition(result != nil, "libcrypto has no HMAC-SHA256")
            return Data(code)
        #endif
    }
}

/// The reason why a webhook could not be sent.
struct WebhookProblem: Error {
    var text: String
    init(_ text: String) { self.text = text }
}
