import ApusClient
import ApusTimers
import ArgumentParser
import PlatformC

struct Top: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show running, next and ended runs and all jobs, live; press q to quit.",
        discussion: """
            The display is updated when the daemon reports a change. If standard output is not a terminal, one frame \
            is printed; COLUMNS and LINES limit its size.
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
    /// The size of the terminal, or else the values of COLUMNS and LINES, or else no limit.
    static var current: TopFrame.Size {
        if let size = Terminal.size { return TopFrame.Size(columns: size.columns, rows: size.rows) }
        let environment = ProcessEnvironment.current.variables
        func number(_ name: String) -> Int? { environment[name].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }
        return TopFrame.Size(columns: number("COLUMNS"), rows: number("LINES"))
    }
}

/// The snapshots for `apus top`: one at the beginning of each connection, and one whenever an event reports a change.
struct TopFeed: Sendable {
    enum News: Sendable {
        case snapshot(TopSnapshot)
        /// The reason why there are no snapshots at present.
        case trouble(String)
    }

    let client: DaemonClient
    private let clock = TimerClock.continuous()

    /// The shortest pause after a snapshot, so that at most four are read in a second.
    ///
    /// The pause is ``pauseFactor`` times as long as the reading if that is longer, so reading takes at most a fifth of
    /// the time.
    private static let shortestPause: Duration = .milliseconds(250)
    private static let pauseFactor = 4
    /// The first and the longest pause between attempts to connect; each pause is twice as long as the one before.
    private static let reconnects: (first: Duration, last: Duration) = (.milliseconds(250), .seconds(8))

    init(client: DaemonClient) { self.client = client }

    /// Listens until the calling task is cancelled, also across restarts of the daemon, but never starts a daemon.
    ///
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
                reason = error.code == .notRunning ? "no daemon is running" : "\(error)"
            }
            if start.duration(to: clock.now) > Self.reconnects.last { pause = Self.reconnects.first }
            yield(.trouble("\(reason); reconnecting"))
            try await clock.sleep(until: clock.now.advanced(by: pause), tolerance: nil)
            pause = min(pause * 2, Self.reconnects.last)
        }
    }

    /// Listens and reads until the daemon ends the connection, or until listening or reading fails.
    ///
    /// Changes may be missed until the next connection, which therefore begins with a snapshot.
    private func followConnection(_ yield: @escaping @Sendable (News) -> Void) async throws {
        // Several changes during a pause count as one.
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await read(changes, yield) }
            group.addTask {
                try await client.listen { event in
                    // Output changes nothing on the screen, and a command may print all the time.
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

/// The full-screen mode of the terminal: the alternate screen, without a cursor, and with keys that arrive one by one
/// and are not shown.
///
/// `restore()` undoes all of this.
final class FullScreen {
    private let former: termios?

    /// The sequence that enters the alternate screen, hides the cursor, and cuts long lines instead of wrapping them.
    ///
    /// Lines may be too long, because the terminal may draw a character wider than it was counted.
    private static let enter: TerminalText = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    private static let leave: TerminalText = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    init() {
        var settings = termios()
        if tcgetattr(STDIN_FILENO, &settings) == 0 {
            former = settings
            // Signals are switched off too, because Ctrl-Z would leave the shell with this screen. Ctrl-C arrives as a
            // key.
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

    /// Replaces the picture.
    ///
    /// Each line is overwritten before its rest is erased, so that nothing flickers.
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
