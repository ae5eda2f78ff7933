import ApusClient
import ApusJobs
import ApusTimers
import AsyncHTTPClient
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The collector that spans are sent to, with OTLP over HTTP.
struct SpanCollector: Sendable {
    /// Lives as long as the process, in which it is made with the first batch. A connection is kept for the next batch.
    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    var url: String
    var headers: [TracingSettings.Pair] = []
    /// How long an answer may take, its body included.
    var timeout: Duration
    var resource: [TracingSettings.Pair] = []
    var time: any TimeSource

    /// Sends a batch.
    func send(_ spans: [SpanRecord]) async -> SpanAnswer {
        do {
            let body = try SpanMessage(spans, resource: resource, version: ApusVersion.current).bytes
            return try await within(timeout) { try await post(body) }
        } catch is DeadlineExceeded {
            return .unavailable("no complete answer within \(DurationText.format(timeout))", retryAfter: nil)
        } catch let error as EncodingError {
            return .refused("\(error)")
        } catch {
            return .unavailable("\(error)", retryAfter: nil)
        }
    }

    private func post(_ body: [UInt8]) async throws -> SpanAnswer {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "user-agent", value: "apus/\(ApusVersion.current)")
        for header in headers { request.headers.replaceOrAdd(name: header.name, value: header.value) }
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(body)
        let response = try await Self.http.execute(request, deadline: .distantFuture)
        let status = Int(response.status.code)
        // Read to its end, so that the connection can be used again. The status alone says what became of the batch.
        let answer = (try? await response.body.collect(upTo: 64 * 1024)) ?? ByteBuffer()
        switch status {
        case 200..<300: return Self.accepted(answer)
        // OTLP: those, and no others, may be sent again.
        case 429, 502, 503, 504:
            let after = response.headers.first(name: "retry-after").flatMap { RetryAfter.parse($0, now: time.wall()) }
            return .unavailable("HTTP \(status)", retryAfter: after)
        default: return .refused("HTTP \(status)")
        }
    }

    /// The whole batch, unless the answer says that some of it was rejected. What else it says has no meaning.
    private static func accepted(_ body: ByteBuffer) -> SpanAnswer {
        struct Answer: Decodable {
            var partialSuccess: PartialSuccess?
        }
        struct PartialSuccess: Decodable {
            var rejectedSpans: Int?
            var errorMessage: String?

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                // A number of 64 bits is a string, and readers have to take a number too.
                rejectedSpans =
                    (try? container.decodeIfPresent(Int.self, forKey: .rejectedSpans))
                    ?? (try? container.decodeIfPresent(String.self, forKey: .rejectedSpans)).flatMap { Int($0) }
                errorMessage = try container.decodeIfPresent(String.self, forKey: .errorMessage)
            }

            private enum CodingKeys: String, CodingKey { case rejectedSpans, errorMessage }
        }
        guard let answer = try? LenientJSON.decode(Answer.self, from: body.readableBytesView),
            let partial = answer.partialSuccess, let rejected = partial.rejectedSpans, rejected > 0
        else { return .accepted }
        return .accepted(butFor: rejected, reason: partial.errorMessage ?? "rejected by the collector")
    }
}

/// The value of the header `Retry-After`.
enum RetryAfter {
    /// A number of seconds, or a date of HTTP; `nil` for anything else.
    static func parse(_ text: String, now: WallInstant) -> Duration? {
        if let seconds = Int64(text), seconds >= 0 { return .seconds(min(seconds, 86_400)) }
        guard let date = date(text) else { return nil }
        return max(.zero, now.duration(to: date))
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7); the two obsolete forms are not read.
    private static func date(_ text: String) -> WallInstant? {
        let parts = text.unicodeScalars.split(separator: " ").map(Substring.init)
        guard parts.count == 6, parts[5] == "GMT",
            let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
                .firstIndex(of: String(parts[2])),
            let year = Int(parts[3]), let day = Int(parts[1])
        else { return nil }
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return try? TimeText.parseISO8601(
            "\(year)-\(digits(month + 1))-\(digits(day))T\(parts[4])Z", argument: "retry-after")
    }
}
