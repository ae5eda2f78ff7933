import ApusClient
import AsyncHTTPClient
import NIOCore
import NIOPosix
import PlatformC

/// Why a webhook could not be sent.
struct WebhookProblem: Error {
    var text: String
    init(_ text: String) { self.text = text }

    /// Errors of the HTTP client, in words for the person who reads a job's reason.
    init(_ error: any Error) {
        text =
            switch error {
            case let problem as WebhookProblem: problem.text
            case let error as NIOConnectionError: Self.text(of: error)
            case let error as IOError: "the connection failed (\(Self.words(error.errnoCode)))"
            case let error as HTTPClientError where error == .remoteConnectionClosed:
                "the server closed the connection without an answer"
            case let error as HTTPClientError where error == .connectTimeout: "the server could not be reached in time"
            case let error as HTTPClientError: "the request failed (\(error.shortDescription))"
            // NIOSSL's, which only AsyncHTTPClient depends on.
            case _ where "\(error)".utf8.contains("CERTIFICATE_VERIFY_FAILED"):
                "the server's certificate is not trusted"
            case _ where "\(type(of: error))".utf8.contains("SSL"): "the TLS connection failed"
            default: "the answer could not be read (\(type(of: error)))"
            }
    }

    private static func text(of error: NIOConnectionError) -> String {
        guard let failure = error.connectionErrors.first else { return "the name \(error.host) cannot be resolved" }
        let reason = (failure.error as? IOError).map { words($0.errnoCode) } ?? "timed out"
        return "\(error.host):\(error.port) cannot be connected to (\(reason))"
    }

    private static func words(_ code: CInt) -> String { String(cString: strerror(code)) }
}

extension String.UTF8View {
    fileprivate func contains(_ text: String) -> Bool { firstRange(of: text.utf8) != nil }
}
