struct Options {
    static let usage =
        "usage: ApusCalendarOracles [--seconds N] [--seed N] [--skip N] [--python PATH] [--java PATH] [--sources FOLDER] [--verbose]"

    var seconds = 20.0
    var seed = UInt64.random(in: 1...999_999)
    /// The number of changes of the clock that are skipped, in the order of the seed, because an earlier run has tested
    /// them.
    var skip = 0
    var python = "python3"
    var java = "java"
    var sources = "Tests/ApusCalendarOracles"
    var verbose = false

    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            if name == "--verbose" {
                verbose = true
                continue
            }
            guard let value = rest.popFirst() else { return nil }
            switch name {
            case "--seconds": seconds = Double(value) ?? seconds
            case "--seed": seed = UInt64(value) ?? seed
            case "--skip": skip = Int(value) ?? skip
            case "--python": python = value
            case "--java": java = value
            case "--sources": sources = value
            default: return nil
            }
        }
    }
}
