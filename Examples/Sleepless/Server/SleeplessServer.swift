import ApusTimers
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import LoopbackWeb
import NIOCore
import SleeplessApp

/// The server on the loopback interface, which serves the page and its streams, and receives the taps and the controls.
struct SleeplessServer: Sendable {
    typealias Context = WebRequestContext

    struct Configuration: Sendable {
        /// The port; zero for any free one.
        var port: Int
        /// The folder of the page.
        var page: URL
        /// The secrets that callers must present; `nil` for none.
        var secrets: GuardRules.Secrets?
    }

    private static let name = "127.0.0.1"

    private let configuration: Configuration
    private let stage: any Stage
    private let port: ListeningPort
    private let sounds = SoundCache()

    init(_ configuration: Configuration, stage: any Stage) {
        self.configuration = configuration
        self.stage = stage
        port = ListeningPort(configuration.port)
    }

    /// Serves until the calling task is cancelled.
    ///
    /// - Parameters:
    ///   - logger: The log of the server.
    ///   - onReady: Called with the address of the page.
    /// - Throws: An error of the system if the port is not available.
    func run(logger: Logger, onReady: @escaping @Sendable (String) -> Void) async throws {
        let headers = SecurityHeaders.fields(adding: ["media-src 'self'"])
        let server = WebServer(
            router: router(), address: .hostname(Self.name, port: configuration.port), adding: headers, logger: logger
        ) { channel in
            let port = channel.localAddress?.port ?? configuration.port
            await self.port.set(port)
            let token = configuration.secrets.map { "?token=\($0.token)" } ?? ""
            onReady("http://\(Self.name):\(port)/\(token)")
        }
        try await server.serveUntilCancelled()
    }

    private func router() -> Router<Context> {
        let router = Router(context: Context.self)
        router.add(middleware: ErrorAnswers { ($0 as? AppError).map(AppTaps.answer) })
        router.add(middleware: OwnGuard(port: port, secrets: configuration.secrets))
        router.add(middleware: BodyBound())
        addPage(to: router)
        router.get("/events") { request, _ in try await events(request) }
        router.get("/screen") { _, _ in try Response.json(await stage.screen()) }
        router.get("/device/log") { request, _ in
            let after = try number(Query(of: request, known: ["after"])["after"])
            return try Response.json(await stage.log(after: after))
        }
        router.get("/tracks/:file") { request, context in
            let file = try context.pathParameter("file")
            guard file.hasSuffix(".wav"), let bytes = await sounds.wav(String(file.dropLast(4))) else {
                throw WebError(
                    .notFound, code: "notFound",
                    message: "there is no track “\(file)”; ask for \(Tracks.all.map(\.source).joined(separator: ", "))")
            }
            return try Self.sound(bytes, request)
        }
        router.post("/app/**") { request, context in
            try await post(request, context) { name, arguments in
                try AppTaps.perform(name, arguments, in: try stage.appInFront())
                stage.settle()
            }
        }
        router.post("/device/**") { request, context in
            try await post(request, context) { name, arguments in try await stage.control(name, arguments) }
        }
        router.refuseOtherMethods()
        return router
    }

    // MARK: The page

    private func addPage(to router: Router<Context>) {
        router.get("/") { request, _ in try asset("index.html").answer(to: request) }
        router.get("/assets/:name") { request, context in
            try asset(try context.pathParameter("name")).answer(to: request)
        }
    }

    /// Reads a file of the page.
    ///
    /// The file is read at each request, because the files are small and a change should appear at the next load.
    private func asset(_ name: String) throws -> Asset {
        let isPlain = name.utf8.allSatisfy { byte in
            let character = Character(Unicode.Scalar(byte))
            return character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
        }
        guard isPlain, !name.hasPrefix("."), let data = try? Data(contentsOf: configuration.page.appending(path: name))
        else { throw WebError(.notFound, code: "notFound", message: "the page has no file “\(name)”") }
        return Asset(name: name, bytes: Array(data))
    }

    // MARK: Streams

    @MainActor
    private func events(_ request: Request) throws -> Response {
        try stage.feed.events.answer(
            request,
            first: {
                let lines = stage.log(after: max(0, stage.lastLine - 500)).events
                return [ServerEvent("screen", stage.screen()), ServerEvent("log", lines)]
            })
    }

    /// Returns a whole file, or the range that the player requests (RFC 9110, 14).
    private static func sound(_ bytes: [UInt8], _ request: Request) throws -> Response {
        var headers: HTTPFields = [
            .contentType: "audio/wav", .acceptRanges: "bytes", .cacheControl: "max-age=86400",
        ]
        guard let range = request.headers[.range].flatMap({ piece($0, of: bytes.count) }) else {
            return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
        }
        headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
        return Response(
            status: .partialContent, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes[range])))
    }

    /// Parses `bytes=0-499` or `bytes=500-`; `nil` for everything else, which is answered with the whole file.
    private static func piece(_ text: String, of count: Int) -> Range<Int>? {
        guard text.hasPrefix("bytes=") else { return nil }
        let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(ends[0]), first < count else { return nil }
        guard !ends[1].isEmpty else { return first..<count }
        guard let last = Int(ends[1]), last >= first else { return nil }
        return first..<min(count, last + 1)
    }

    // MARK: Taps and controls

    private func post(
        _ request: Request, _ context: Context,
        _ body: @MainActor (String, Arguments) async throws -> Void
    ) async throws -> Response {
        let name = context.parameters.getCatchAll().joined(separator: "/")
        let bytes = try await request.body.collect(upTo: context.maxUploadSize)
        let arguments = try Arguments(Data(bytes.readableBytesView))
        try await body(name, arguments)
        return try Response.json(await stage.screen())
    }

    private func number(_ text: String?) throws -> Int {
        guard let text else { return 0 }
        guard let number = Int(text), number >= 0 else {
            throw Arguments.invalid("`after` is “\(text)”; pass the number of a line, 0 or more")
        }
        return number
    }
}

/// The port of the server, which is known when it listens.
private actor ListeningPort {
    private(set) var number: Int

    init(_ number: Int) { self.number = number }

    func set(_ number: Int) { self.number = number }
}

/// The guard of a server whose port is known only when it listens.
private struct OwnGuard: RouterMiddleware {
    let port: ListeningPort
    let secrets: GuardRules.Secrets?

    func handle(
        _ request: Request, context: WebRequestContext,
        next: (Request, WebRequestContext) async throws -> Response
    ) async throws -> Response {
        let port = await port.number
        let rules = GuardRules(
            hosts: GuardRules.ownHosts("127.0.0.1", port: port), secrets: secrets, cookieName: "sleepless-\(port)")
        let hint = "Open the address that the program has printed; it has the token in it."
        return try await RequestGuard<WebRequestContext>(rules: rules, entryHint: hint)
            .handle(request, context: context, next: next)
    }
}
