import ApusClient
import ApusTimers
import ArgumentParser
import PlatformC

struct Top: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show what runs, what is next, what has ended and all jobs, live; q ends it.",
        discussion: """
            It is drawn again when the daemon reports a change. When standard output is no terminal, one frame is printed; \
            COLUMNS and LINES limit its size.
            """)

    @Flag(help: "Print one frame and end.")
    var once = false

    @Flag(help: "Print one snapshot as JSON and end.")
    var json = false

    func run() async throws {
        try await reporting {
            let session = try Session()
            let snapshot = try await session.call { try await TopSnapshot.read($0) }
            if json { return try Terminal.json(snapshot) }
            guard Terminal.isInteractive, !once else {
                var size = TopFrame.Size.current
                // The shell's prompt needs a line too.
                if Terminal.isInteractive { size.rows = size.rows.map { $0 - 1 } }
                for line in TopFrame.lines(snapshot, size: size, now: When.now) {
                    Terminal.out(line.reduce("") { $0 + $1.shown })
                }
                return
            }
            try await TopView(client: session.client).show(snapshot)
        }
    }
}

extension TopFrame.Size {
    /// The terminal's; where standard output is none, what COLUMNS and LINES say, or no limit.
    static var current: TopFrame.Size {
        if let size = Terminal.size { return TopFrame.Size(columns: size.columns, rows: size.rows) }
        let environment = ProcessEnvironment.current.variables
        func number(_ name: String) -> Int? { environment[name].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }
        return TopFrame.Size(columns: number("COLUMNS"), rows: number("LINES"))
    }
}

/// Snapshots for `apus top`: one whenever an event says that something has changed, and none otherwise.
struct TopFeed: Sendable {
    enum News: Sendable {
        case snapshot(TopSnapshot)
        /// Why there are no snapshots for now.
        case trouble(String)
    }

    let client: DaemonClient
    private let clock = TimerClock.continuous()

    /// A snapshot is read at most four times a second, and takes at most a fifth of the time, however many jobs there are.
    private static let shortestPause: Duration = .milliseconds(250)
    private static let pauseFactor = 4
    /// The pauses between attempts to connect: doubled from the first up to the last.
    private static let reconnects: (first: Duration, last: Duration) = (.milliseconds(250), .seconds(8))

    init(client: DaemonClient) { self.client = client }

    /// Listens until the calling task is cancelled, also over restarts of the daemon. It starts no daemon.
    /// - Throws: `DaemonError` if the daemon refuses the caller; `CancellationError`.
    func run(_ yield: @escaping @Sendable (News) -> Void) async throws {
        var pause = Self.reconnects.first
        while true {
            let start = clock.now
            var reason = "the daemon has stopped"
            do {
                try await followConnection(yield)
            } catch let error as DaemonError {
                if [.invalid, .forbidden].contains(error.code) { throw error }
                reason = error.code == .notRunning ? "no daemon runs" : "\(error)"
            }
            if start.duration(to: clock.now) > Self.reconnects.last { pause = Self.reconnects.first }
            yield(.trouble("\(reason); connecting again"))
            try await clock.sleep(until: clock.now.advanced(by: pause), tolerance: nil)
            pause = min(pause * 2, Self.reconnects.last)
        }
    }

    /// Listens and reads until the daemon ends the connection, or either of the two fails: then a snapshot is missing, and
    /// the next connection begins with one.
    private func followConnection(_ yield: @escaping @Sendable (News) -> Void) async throws {
        // Changes during a pause are one change.
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await read(changes, yield) }
            group.addTask {
                try await client.listen { event in
                    // Output changes nothing that is shown, and a command may print all the time.
                    if event.map({ ["job", "run", "deleted", "clock", "lost"].contains($0.name) }) ?? true {
                        continuation.yield()
                    }
                    return true
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func read(_ changes: AsyncStream<Void>, _ yield: @Sendable (News) -> Void) async throws {
        for await _ in changes {
            let start = clock.now
            yield(.snapshot(try await TopSnapshot.read(client)))
            let pause = max(Self.shortestPause, start.duration(to: clock.now) * Self.pauseFactor)
            try await clock.sleep(until: clock.now.advanced(by: pause), tolerance: nil)
        }
    }
}

/// The terminal while one program has the whole of it: the alternate screen, without a cursor, and keys that arrive one by
/// one without being shown. `restore()` undoes all of it.
final class FullScreen {
    private let former: termios?

    /// Enters the alternate screen, hides the cursor, and cuts long lines instead of wrapping them: the terminal may take
    /// a character for wider than it was counted.
    private static let enter: TerminalText = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    private static let leave: TerminalText = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    init() {
        var settings = termios()
        if tcgetattr(STDIN_FILENO, &settings) == 0 {
            former = settings
            // Without signals too: Ctrl-Z would leave the shell with this screen. Ctrl-C arrives as a key.
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        } else {
            former = nil
        }
        Terminal.out(Self.enter, terminator: "")
    }

    func restore() {
        Terminal.out(Self.leave, terminator: "")
        if var former { tcsetattr(STDIN_FILENO, TCSANOW, &former) }
    }

    /// Replaces what is shown. Each line is overwritten before the rest of it is erased, so that nothing flickers.
    func draw(_ lines: [TerminalText]) {
        let eraseRest: TerminalText = "\u{1B}[K"
        var picture: TerminalText = "\u{1B}[H"
        for (index, line) in lines.enumerated() {
            picture = picture + line + eraseRest
            if index < lines.count - 1 { picture = picture + "\r\n" }
        }
        Terminal.out(picture + "\u{1B}[J", terminator: "")
    }
}
