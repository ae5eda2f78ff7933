import Foundation

struct Options {
    /// Whether to use small sizes and few turns, to test the benchmark itself.
    var quick = false
    var subjects = Subject.allCases
    var json: String?
    /// The number of jobs of the subject `million`.
    var jobs: Int?
    /// The time for which the transaction of the subject `snapshot` is held open, in seconds.
    var long = 60.0
    /// The folder of the database, which determines the disk that is measured.
    var directory = "/var/tmp"
    /// The path of the program that measures procrastinate.
    var peer: String?

    struct Refusal: Error { var reason: String }

    static let usage = """
        cluster-bench [--quick] [--only SUBJECT[,SUBJECT...]] [--long SECONDS] [--jobs COUNT] [--peer PROGRAM]
                      [--directory FOLDER] [--json FILE] [--help]

          --quick             small sizes and few turns, to check that it works
          --only              these subjects only: \(Subject.allCases.map(\.rawValue).joined(separator: ", "))
          --long SECONDS      how long the subject snapshot holds its transaction open; 60 unless given
          --jobs COUNT        how many jobs the subject million has; 1000000 unless given
          --peer PROGRAM      also measure procrastinate, with Benchmarks/peers/procrastinate_peer.py
          --directory FOLDER  make the database there, on the disk that is to be measured; /var/tmp unless given
          --json FILE         also write the figures to FILE, as a JSON array
          --help              this text

        """

    init(_ arguments: some Sequence<String>) throws(Refusal) {
        var rest = arguments.makeIterator()
        func value(_ option: String, _ form: String) throws(Refusal) -> String {
            guard let value = rest.next(), !value.isEmpty else { throw Refusal(reason: "\(option) needs \(form)") }
            return value
        }
        while let argument = rest.next() {
            switch argument {
            case "--quick": quick = true
            case "--only":
                let names = try value(argument, "subjects, separated by commas").split(separator: ",")
                let chosen = names.compactMap { Subject(rawValue: String($0)) }
                guard chosen.count == names.count else {
                    let accepted = Subject.allCases.map(\.rawValue).joined(separator: ", ")
                    throw Refusal(reason: "--only: the subjects are \(accepted)")
                }
                subjects = Subject.allCases.filter(chosen.contains)
            case "--long":
                let text = try value(argument, "a number of seconds")
                guard let seconds = Double(text), seconds >= 5 else {
                    throw Refusal(reason: "--long \(text): it is not a number of seconds from 5")
                }
                long = seconds
            case "--jobs":
                let text = try value(argument, "a number of jobs")
                guard let count = Int(text), count >= 1_000 else {
                    throw Refusal(reason: "--jobs \(text): it is not a whole number from 1000")
                }
                jobs = count
            case "--peer": peer = URL(filePath: try value(argument, "the path of a program")).path
            case "--directory": directory = try value(argument, "the path of a folder")
            case "--json": json = try value(argument, "the path of a file to write")
            case "--help":
                print(Self.usage, terminator: "")
                exit(0)
            default: throw Refusal(reason: "\(argument) is not an option")
            }
        }
        if quick { long = min(long, 10) }
        if let peer, !FileManager.default.isExecutableFile(atPath: peer) {
            throw Refusal(reason: "--peer \(peer): it is not a program")
        }
    }
}
