import ApusBackground
import ApusJobs
import ApusTimers
import AsyncHTTPClient
import Logging
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The handler of the daemon's jobs: decodes the action, does it, and turns what happened into an outcome.
struct ActionRunner: Sendable {
    var command: CommandRunner
    var http: HTTPClient
    var notifications: NotificationDesk
    var logger: Logger

    func run(_ context: RunContext) async throws {
        let action: Action
        do {
            action = try JSONDecoder().decode(Action.self, from: Data(context.job.request.payload))
        } catch {
            throw JobFailure(reason: "its action cannot be read: \(error)", isFinal: true)
        }
        let result: Result<Void, any Error>
        do {
            if let command = action.command { try await self.command.run(command, context: context) }
            if let webhook = action.webhook { try await post(to: webhook, context: context) }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        if let text = action.notify, !context.isCancelled {
            await notifications.show(title: context.job.request.name ?? "apus", text: text, job: context.job.id)
        }
        try result.get()
    }

    /// What a webhook is sent.
    private struct Body: Encodable {
        var job: String
        var name: String?
        var occurrence: Int
        var due: String
        var latenessMs: Int64
        var attempt: Int
        var standsFor: Int
    }

    private func post(to url: String, context: RunContext) async throws {
        let body = Body(
            job: context.job.id.rawValue, name: context.job.request.name, occurrence: context.occurrence,
            due: TimeText.iso8601(context.due), latenessMs: context.lateness.wholeMilliseconds,
            attempt: context.attempt,
            standsFor: context.standsFor)
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "user-agent", value: "apus/\(ApusVersion.current)")
        // The same for each attempt at one occurrence, so that the receiver can tell a repetition.
        request.headers.add(
            name: "idempotency-key", value: "\(context.job.id)-\(context.job.key)-\(context.occurrence)")
        request.body = .bytes(try JSONEncoder().encode(body))
        let response: HTTPClientResponse
        let answer: ByteBuffer
        do {
            response = try await http.execute(request, timeout: .seconds(30))
            answer = (try? await response.body.collect(upTo: 64 * 1024)) ?? ByteBuffer()
        } catch {
            if context.isCancelled { throw CancellationError() }
            throw JobFailure(reason: "webhook: \(error)")
        }
        context.setOutput(Array(answer.readableBytesView))
        guard (200..<300).contains(response.status.code) else {
            throw JobFailure(reason: "webhook: HTTP \(response.status.code)")
        }
    }
}

/// Shows texts to the person: through the desktop, else at a terminal that is attached, else in the log.
struct NotificationDesk: Sendable {
    var desktop: (any Notifier)?
    var attached: EventHub
    var logger: Logger

    func show(title: String, text: String, job: JobID) async {
        if let desktop {
            do {
                try await desktop.notify(UserNotification(title: title, body: text))
                return
            } catch {
                logger.info("no notification through the desktop", metadata: ["reason": "\(error)"])
            }
        }
        if attached.notify(WireNotification(job: job.rawValue, text: text)) { return }
        logger.notice("notification", metadata: ["job": "\(job)", "title": "\(title)", "text": "\(text)"])
    }
}
