#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a benchmark was asked for: `--json`, and options with values that it names itself.
package struct Flags: Sendable {
    package var json = false
    /// Less of everything, to see whether it works.
    package var quick = false
    private var values: [String: String] = [:]

    /// Says how it is used, and ends the process, if the arguments are others than `--json`, `--quick` and `options`.
    package init(_ arguments: some Sequence<String>, options: [String]) {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--json": json = true
            case "--quick": quick = true
            case _ where options.contains(argument):
                guard let value = rest.next() else { Self.refuse("\(argument) needs a value", options) }
                values[argument] = value
            default: Self.refuse("\(argument) is not an option", options)
            }
        }
    }

    package subscript(_ option: String) -> String? { values[option] }

    private static func refuse(_ reason: String, _ options: [String]) -> Never {
        let text = Array("\(reason); the options are --json, --quick\(options.map { ", \($0) VALUE" }.joined())\n".utf8)
        _ = write(STDERR_FILENO, text, text.count)
        exit(64)
    }
}
