import ArgumentParser

/// The options for a page of a list, which `list` and `history` share.
struct PageOptions: ParsableArguments {
    @Option(help: ArgumentHelp("List at most this many (1 to 1000).", valueName: "n"))
    var limit: Int = 50

    @Option(help: ArgumentHelp("Continue after an earlier page, with the token that it printed.", valueName: "token"))
    var after: String?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard (1...1_000).contains(limit) else { throw ValidationError("--limit: \(limit) is not between 1 and 1000") }
    }
}
