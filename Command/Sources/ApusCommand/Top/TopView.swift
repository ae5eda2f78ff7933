import ApusClient
import ApusTimers
import ArgumentParser
import Dispatch
import PlatformC

/// The view of `apus top` on a terminal.
///
/// It draws each new snapshot, and redraws the newest one once a second so that the durations in it stay current.
struct TopView {
    let client: DaemonClient

    private enum News: Sendable {
        case feed(TopFeed.News)
        case failed(any Error)
        case keys([UInt8])
        case signal(Int32)
        case tick
    }

    /// Shows the view until q, Ctrl-C or a signal, and then restores the terminal.
    ///
    /// - Throws: `ExitCode` with 128 plus the signal's number after Ctrl-C or a signal; `DaemonError` if the daemon
    ///   refuses the caller.
    func show(_ first: TopSnapshot) async throws {
        let (news, continuation) = AsyncStream.makeStream(of: News.self)
        let ticks = try TimerEngine.shared.ticks(every: .seconds(1), clock: .continuous)
        let ticking = Task { for await _ in ticks { continuation.yield(.tick) } }
        let client = client
        let feeding = Task {
            do {
                try await TopFeed(client: client).run { continuation.yield(.feed($0)) }
            } catch {
                if !Task.isCancelled { continuation.yield(.failed(error)) }
            }
        }
        let sources = await Self.signals(continuation) + Self.keys(continuation)
        let screen = FullScreen()
        defer {
            ticking.cancel()
            feeding.cancel()
            for source in sources { source.cancel() }
            screen.restore()
        }
        var (snapshot, trouble): (TopSnapshot, String?) = (first, nil)
        var shown: [[TopFrame.Span]]?
        func draw(again: Bool = false) {
            let lines = TopFrame.lines(
                snapshot, size: .current, now: When.now, trouble: trouble, isLive: true)
            if lines == shown, !again { return }
            shown = lines
            screen.draw(lines.map { line in line.reduce("") { $0 + $1.shown } })
        }
        draw()
        for await item in news {
            switch item {
            case .feed(.snapshot(let newest)):
                (snapshot, trouble) = (newest, nil)
                draw()
            case .feed(.trouble(let text)):
                trouble = text
                draw()
            case .tick: draw()
            case .signal(SIGWINCH): draw(again: true)
            case .keys(let keys):
                if keys.contains(UInt8(ascii: "q")) { return }
                if keys.contains(Self.interruptKey) { throw ExitCode(128 + SIGINT) }
            case .signal(let number): throw ExitCode(128 + number)
            case .failed(let error): throw error
            }
        }
    }

    /// The byte that Ctrl-C sends.
    private static let interruptKey: UInt8 = 3

    private static func signals(_ news: AsyncStream<News>.Continuation) async -> [any DispatchSourceProtocol] {
        var sources: [any DispatchSourceProtocol] = []
        for number in [SIGWINCH, SIGINT, SIGTERM, SIGHUP] {
            sources.append(await signalSource(number) { news.yield(.signal(number)) })
        }
        return sources
    }

    private static func keys(_ news: AsyncStream<News>.Continuation) -> [any DispatchSourceProtocol] {
        guard isatty(STDIN_FILENO) == 1 else { return [] }
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO)
        source.setEventHandler {
            var buffer = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { return }
            // If no byte can be read, the terminal is gone.
            news.yield(count > 0 ? .keys(Array(buffer.prefix(count))) : .signal(SIGHUP))
        }
        source.activate()
        return [source]
    }
}
