import ApusClient
import ApusJobs
import Tracing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What spans say about the daemon's actions, by OpenTelemetry's conventions, beside the attributes of
/// `TracingMiddleware`. Arguments of commands and paths of URLs are not in it: they may be secrets.
extension RecordingSpan {
    /// Names the span of a run after its job, and adds the program.
    func describe(_ action: Action, of context: RunContext) {
        if let name = context.job.request.name { operationName = name }
        guard let command = action.command, let program = command.argv.first else { return }
        attributes["process.executable.name"] =
            command.shell ? "sh" : program.unicodeScalars.split(separator: "/").last.map { String($0) } ?? program
    }

    /// Adds what the command ended with; `nil` if it did not end.
    func describe(exitCode: Int?) { attributes["process.exit.code"] = exitCode }

    /// Adds where a request goes.
    func describe(post address: String) {
        updateAttributes { attributes in
            attributes["http.request.method"] = "POST"
            guard let url = URL(string: address), let scheme = url.scheme?.lowercased() else { return }
            attributes["url.scheme"] = scheme
            attributes["server.address"] = url.host
            attributes["server.port"] = url.port ?? (scheme == "https" ? 443 : 80)
        }
    }

    /// Marks a request as failed. The status of the last answer, if there was one, is an attribute already.
    func describe(failure: String) {
        updateAttributes { attributes in
            let status = attributes.get("http.response.status_code")
            attributes["error.type"] =
                if case .int64(let code)? = status, code >= 300 { String(code) } else { "_OTHER" }
        }
        setStatus(SpanStatus(code: .error, message: failure))
    }
}
