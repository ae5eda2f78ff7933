import Foundation

struct Options {
    /// Whether to use small sizes and few turns, to test the benchmark itself.
    var quick = false
    var subjects = Subject.allCases.filter { $0 != .million }
    var json: String?
    var apus = ".build/release/apus"
    /// The path of the program that measures other libraries.
    var peers: String?
    /// The folder of the files, which determines the disk that is measured.
    ///
    /// `/tmp` is in memory on many systems, where syncs are free.
    var directory = "/var/tmp"
    /// The folder in which the home with the million jobs is kept.
    var keep: String?
    /// The number of jobs of the subject `million`.
    var jobs: Int?

    struct Refusal: Error { var reason: String }

    static let usage = """
        jobs-bench [--quick] [--million] [--jobs COUNT] [--keep FOLDER] [--only SUBJECT[,SUBJECT...]] [--apus PATH]
                   [--peers PROGRAM] [--directory FOLDER] [--json FILE] [--help]

          --quick             small sizes and few turns, to check that it works
          --million           also measure a daemon with 1,000,000 jobs
          --jobs COUNT        how many jobs that daemon has; 1000000 unless given
          --keep FOLDER       keep the home with the million jobs there, and use it in later runs
          --only              these subjects only: \(Subject.allCases.map(\.rawValue).joined(separator: ", "))
          --apus PATH         the built command; .build/release/apus unless given
          --peers PROGRAM     also measure other libraries, with Benchmarks/peers/peers.py
          --directory FOLDER  make the files there, on the disk that is to be measured; /var/tmp unless given
          --json FILE         also write the figures to FILE, as a JSON array
          --help              this text

        """

    init(_ arguments: some Sequence<String>) throws(Refusal) {
        var rest = arguments.makeIterator()
        var only: [Subject]?
        var million = false
        func value(_ option: String, _ form: String) throws(Refusal) -> String {
            guard let value = rest.next(), !value.isEmpty else { throw Refusal(reason: "\(option) needs \(form)") }
            return value
        }
        while let argument = rest.next() {
            switch argument {
            case "--quick": quick = true
            case "--million": million = true
            case "--jobs":
                let text = try value(argument, "a number of jobs")
                guard let count = Int(text), count >= 1_000 else {
                    throw Refusal(reason: "--jobs \(text): it is not a whole number from 1000")
                }
                jobs = count
            case "--keep": keep = URL(filePath: try value(argument, "the path of a folder")).path
            case "--only": only = try Self.subjects(value(argument, "subjects, separated by commas"))
            case "--apus": apus = try value(argument, "the path of the built command")
            case "--peers": peers = URL(filePath: try value(argument, "the path of a program")).path
            case "--directory": directory = try value(argument, "the path of a folder")
            case "--json": json = try value(argument, "the path of a file to write")
            case "--help":
                print(Self.usage, terminator: "")
                exit(0)
            default: throw Refusal(reason: "\(argument) is not an option")
            }
        }
        if let only { subjects = only }
        if million, !subjects.contains(.million) { subjects.append(.million) }
        if keep != nil, !subjects.contains(.million) {
            throw Refusal(reason: "--keep needs the subject million: --million, or --only million")
        }
        apus = URL(filePath: apus).path
        if subjects.contains(where: \.needsCommand), !FileManager.default.isExecutableFile(atPath: apus) {
            throw Refusal(
                reason: "\(apus) is not a program; build it with `make bench`, or pass its path with --apus")
        }
        if let peers, !FileManager.default.isExecutableFile(atPath: peers) {
            throw Refusal(reason: "--peers \(peers): it is not a program")
        }
    }

    private static func subjects(_ text: String) throws(Refusal) -> [Subject] {
        var subjects: Set<Subject> = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let subject = Subject(rawValue: String(name)) else {
                let accepted = Subject.allCases.map(\.rawValue).joined(separator: ", ")
                throw Refusal(reason: "--only \(text): \"\(name)\" is not a subject; the subjects are \(accepted)")
            }
            subjects.insert(subject)
        }
        return Subject.allCases.filter(subjects.contains)
    }
}
