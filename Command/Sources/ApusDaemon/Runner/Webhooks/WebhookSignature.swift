import ApusClient

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

/// Signs webhooks as the Standard Webhooks specification says: HMAC-SHA256 over `id.timestamp.body`.
struct WebhookSignature: Sendable {
    private let key: Data

    /// A secret: `whsec_` and base64, or any other text, whose bytes are the key then.
    init(secret text: String) throws(WebhookProblem) {
        let secret = text.trimmingCharacters()
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

    /// Reads the secret now, so that it is neither in the database nor in the daemon's memory for longer than a request.
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

    /// The value of the header `webhook-signature`.
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

extension String {
    /// Without white space at both ends.
    fileprivate func trimmingCharacters() -> String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
