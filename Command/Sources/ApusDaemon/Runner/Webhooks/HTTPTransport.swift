import ApusCalendar
import ApusClient
import ApusJobs
import ApusTimers
import CApus
import CCurl
import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct HTTPPost: Sendable {
    var url: String
    /// The headers by their names in lowercase.
    var headers: [String: String]
    var body: [UInt8]
    /// The number of bytes of the answer's body after which the connection is closed.
    var keptBytes: Int
}

struct HTTPAnswer: Sendable {
    var status: Int
    /// The target of a redirect, as the server sent it.
    var location: String?
    /// The beginning of the body.
    var body: [UInt8]
    /// The reason why less of the body arrived than was wanted; `nil` if enough arrived.
    ///
    /// The whole body is wanted, or its beginning if it is longer than the maximum.
    var problem: WebhookProblem?
}

/// Sends HTTP requests with libcurl, all of them on one separate thread, which lasts as long as the process.
///
/// Redirects are not followed, and no proxy is used, so that the daemon's environment does not decide where a webhook
/// goes.
final class HTTPTransport: Sendable {
    static let shared = HTTPTransport()

    private struct State {
        /// The handle of libcurl, which is set while the thread runs.
        var multi: Multi?
        var added: [Transfer] = []
        var cancelled: [Transfer] = []
    }

    /// The handle of libcurl, as a sendable value.
    ///
    /// The type is `@unchecked Sendable` because only the transport's thread uses the handle, except that any thread
    /// may wake it (curl_multi_wakeup(3)).
    private struct Multi: @unchecked Sendable {
        let handle: UnsafeMutableRawPointer
    }

    private let state = Locked(State())

    private init() { curl_global_init(Int(CURL_GLOBAL_ALL)) }

    /// Sends a POST request, and returns the answer.
    ///
    /// - Throws: `WebhookProblem` if there is no answer; `CancellationError` if the task is cancelled.
    func post(_ request: HTTPPost) async throws -> HTTPAnswer {
        try start()
        let transfer = try Transfer(request)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                transfer.continuation = continuation
                change { $0.added.append(transfer) }
            }
        } onCancel: {
            change { $0.cancelled.append(transfer) }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let multi = state.withLock { state in
            body(&state)
            return state.multi
        }
        if let multi { curl_multi_wakeup(multi.handle) }
    }

    /// Starts the thread, unless it runs already.
    ///
    /// If this fails, the next post tries again.
    private func start() throws(WebhookProblem) {
        let problem = state.withLock { state -> String? in
            if state.multi != nil { return nil }
            guard let handle = curl_multi_init() else { return "there is no memory for the request" }
            // The call fails if there were no descriptors left for the pipe that wakes the thread.
            var reason = curl_multi_wakeup(handle) == CURLM_OK ? nil : "there are too many open files"
            if reason == nil {
                ccurl_set_limit(handle, CURLMOPT_MAXCONNECTS, 16)
                ccurl_set_limit(handle, CURLMOPT_MAX_HOST_CONNECTIONS, 8)
                state.multi = Multi(handle: handle)
                let error = capus_start_thread(
                    "apus-webhooks", transferAll, Unmanaged.passUnretained(self).toOpaque(), nil)
                if error != 0 { reason = "no thread can be started (\(String(cString: strerror(error))))" }
            }
            if reason != nil {
                state.multi = nil
                curl_multi_cleanup(handle)
            }
            return reason
        }
        if let problem { throw WebhookProblem(problem) }
    }

    fileprivate func run() -> Never {
        // SIGPIPE is blocked, because OpenSSL may write to closed connections, and does not use the flag that prevents
        // the signal.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        guard let multi = state.withLock({ $0.multi })?.handle else {
            preconditionFailure("the thread was not started")
        }
        var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
        while true {
            let (added, cancelled) = state.withLock { state in
                defer { (state.added, state.cancelled) = ([], []) }
                return (state.added, state.cancelled)
            }
            for transfer in added {
                guard !transfer.isCancelled else {
                    transfer.end(.failure(CancellationError()))
                    continue
                }
                let code = curl_multi_add_handle(multi, transfer.handle)
                if code == CURLM_OK {
                    transfers[transfer.handle] = transfer
                } else {
                    transfer.end(.failure(WebhookProblem(String(cString: curl_multi_strerror(code)))))
                }
            }
            // A transfer is not in the list if it has ended, or if it was cancelled before it was added.
            for transfer in cancelled {
                transfer.isCancelled = true
                guard transfers.removeValue(forKey: transfer.handle) != nil else { continue }
                curl_multi_remove_handle(multi, transfer.handle)
                transfer.end(.failure(CancellationError()))
            }
            var count: Int32 = 0
            curl_multi_perform(multi, &count)
            while let message = curl_multi_info_read(multi, &count)?.pointee {
                guard let transfer = transfers.removeValue(forKey: message.easy_handle) else { continue }
                curl_multi_remove_handle(multi, transfer.handle)
                transfer.end(transfer.result(message.data.result))
            }
            // Waits until something happens; libcurl's own time limits end the wait too.
            curl_multi_poll(multi, nil, 0, Int32.max, nil)
        }
    }
}

/// Runs the transport on its thread.
private func transferAll(_ context: UnsafeMutableRawPointer?) {
    guard let context else { preconditionFailure("the thread is started with its transport") }
    Unmanaged<HTTPTransport>.fromOpaque(context).takeUnretainedValue().run()
}

/// One request in progress.
///
/// The class is `@unchecked Sendable` because only the transport's thread uses a request once it has been added.
private final class Transfer: @unchecked Sendable {
    let handle: UnsafeMutableRawPointer
    var continuation: CheckedContinuation<HTTPAnswer, any Error>?
    var isCancelled = false
    private let request: HTTPPost
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var received: [UInt8] = []
    private var location: String?

    /// Prepares a request.
    ///
    /// - Throws: `WebhookProblem` if the request cannot be made.
    init(_ request: HTTPPost) throws(WebhookProblem) {
        guard let handle = curl_easy_init() else { throw WebhookProblem("there is no memory for the request") }
        self.handle = handle
        self.request = request
        // Suppresses "Expect: 100-continue", which libcurl sends before a long body and few servers support.
        var lines = ["Expect:"]
        for (name, value) in request.headers {
            // A line break would begin another header.
            guard (name + value).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw WebhookProblem("the header \(PrintableText.escaped(name)) has a control character")
            }
            // With a colon and no value, libcurl would remove its own header of that name; a semicolon sends an empty
            // value.
            lines.append(value.allSatisfy(\.isWhitespace) ? "\(name);" : "\(name): \(value)")
        }
        for line in lines {
            guard let longer = curl_slist_append(headers, line) else {
                throw WebhookProblem("there is no memory for the request")
            }
            headers = longer
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        let codes = [
            ccurl_set_pointer(handle, CURLOPT_URL, request.url),
            ccurl_set_number(handle, CURLOPT_PATH_AS_IS, 1),
            ccurl_set_pointer(handle, CURLOPT_PROXY, ""),
            ccurl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, 10_000),
            ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1),
            ccurl_set_quick_end(handle),
            ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, headers),
            ccurl_set_number(handle, CURLOPT_POSTFIELDSIZE, request.body.count),
            ccurl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, request.body),
            ccurl_set_header_reader(
                handle,
                { bytes, _, count, context in
                    let transfer = Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
                    transfer.receive(header: UnsafeRawBufferPointer(start: bytes, count: count))
                    return count
                }, context),
            ccurl_set_writer(
                handle,
                { bytes, _, count, context in
                    let transfer = Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
                    return transfer.receive(UnsafeRawBufferPointer(start: bytes, count: count))
                }, context),
        ]
        if let code = codes.first(where: { $0 != CURLE_OK }) { throw WebhookProblem(words(for: code)) }
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(headers)
    }

    private func receive(header bytes: UnsafeRawBufferPointer) {
        // A server may send several answers, such as interim ones; only the last one counts.
        if bytes.starts(with: "HTTP/".utf8) { location = nil }
        let parts = bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1)
        guard parts.count == 2, String(decoding: parts[0], as: UTF8.self).lowercased() == "location" else { return }
        location = String(decoding: parts[1], as: UTF8.self).trimmingWhitespace
    }

    /// Keeps the beginning of the body; the body of a redirect is not awaited.
    ///
    /// - Returns: the number of bytes, or 0 if no more bytes are wanted; libcurl then ends the transfer.
    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        received.append(contentsOf: bytes.prefix(request.keptBytes - received.count))
        let isEnough = received.count >= request.keptBytes || [307, 308].contains(status)
        return isEnough && !bytes.isEmpty ? 0 : bytes.count
    }

    private var status: Int {
        var status = 0
        ccurl_get_number(handle, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    func end(_ result: Result<HTTPAnswer, any Error>) {
        continuation?.resume(with: result)
        continuation = nil
    }

    func result(_ code: CURLcode) -> Result<HTTPAnswer, any Error> {
        // libcurl reports a write error when `receive` has ended the transfer because it wants no more of the body.
        let problem = code == CURLE_OK || code == CURLE_WRITE_ERROR ? nil : WebhookProblem(words(for: code))
        if let problem, status < 200 { return .failure(problem) }
        return .success(HTTPAnswer(status: status, location: location, body: received, problem: problem))
    }

    /// Returns a description of an error for the user who reads a job's reason.
    private func words(for code: CURLcode) -> String {
        var number = 0
        ccurl_get_number(handle, CURLINFO_OS_ERRNO, &number)
        let reason = number == 0 ? "" : " (\(String(cString: strerror(Int32(number)))))"
        let url = URL(string: request.url)
        let host = url?.host ?? ""
        let port = url?.port ?? (url?.scheme == "https" ? 443 : 80)
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return "the name \(host) cannot be resolved"
        case CURLE_COULDNT_CONNECT:
            return
                "cannot connect to \(host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host):\(port)\(reason)"
        case CURLE_OPERATION_TIMEDOUT: return "the server could not be reached in time"
        case CURLE_GOT_NOTHING: return "the server closed the connection without an answer"
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR: return "the connection failed\(reason)"
        case CURLE_PEER_FAILED_VERIFICATION: return "the server's certificate is not trusted"
        case CURLE_SSL_CONNECT_ERROR: return "the TLS connection failed"
        default: return "the request failed (\(String(cString: curl_easy_strerror(code))))"
        }
    }
}
