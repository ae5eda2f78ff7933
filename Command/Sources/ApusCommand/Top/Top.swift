import ApusClient
import ArgumentParser

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
