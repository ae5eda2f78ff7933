import Foundation

struct Options {
    /// Whether to use small sizes and few turns, to test the benchmark itself.
    var quick = false
    var subjects = Subject.allCases
    var json: String?
    /// The measurement of a child process for its parent.
    var child: Child?
    /// The seed of the child's random numbers.
    var seed: UInt64 = 1

    enum Child {
        case memory(contestant: String, count: Int)
        case operations(contestant: String, count: Int)
        case turn(subject: any MeasuredInTurns.Type, contestant: String)

        func measure(seed: UInt64, quick: Bool) throws -> String {
            switch self {
            case .memory(let contestant, let count): try Memory.inThisProcess(contestant, count)
            case .operations(let contestant, let count):
                try Operations.inThisProcess(contestant, count, seed: seed)
            case .turn(let subject, let contestant):
                try subject.inThisProcess(contestant, round: Int(seed), quick: quick)
            }
        }
    }

    struct Refusal: Error { var reason: String }

    static let usage = """
        timer-bench [--quick] [--only SUBJECT[,SUBJECT...]] [--json FILE] [--help]

          --quick      small sizes and few turns, to check that it works
          --only       these subjects only: \(Subject.allCases.map(\.rawValue).joined(separator: ", "))
          --json FILE  also write the figures to FILE, as a JSON array
          --help       this text

        Options with which it starts itself, and which compare one build with another:

          --operations CONTESTANT COUNT [--seed N]
                       the costs of one contestant's calls beside COUNT timers: for each, nanoseconds and calls, in the
                       order first use, schedule, schedule after shuffled, cancel in order, CPU of that, cancel
                       shuffled, pair, reset. CONTESTANT is one of
                       \(Operations.contestantNames)
          --memory CONTESTANT COUNT
                       the memory of COUNT timers of the contestant
          --turn SUBJECT CONTESTANT [--seed ROUND] [--quick]
                       one contestant's turn in one of \(Subject.namesInTurns), as JSON

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
            case "--only": subjects = try Self.subjects(value(argument, "subjects, separated by commas"))
            case "--json": json = try value(argument, "the path of a file to write")
            case "--help":
                print(Self.usage, terminator: "")
                exit(0)
            // The options of the child processes.
            case "--seed":
                let text = try value(argument, "a number")
                guard let number = UInt32(text) else {
                    throw Refusal(reason: "--seed \(text): it is an integer from 0 to \(UInt32.max)")
                }
                seed = UInt64(number)
            case "--memory", "--operations":
                let contestant = try value(argument, "a contestant and a count")
                let text = try value(argument, "a contestant and a count")
                guard let count = Int(text), count > 0 else {
                    throw Refusal(reason: "\(argument) \(contestant) \(text): the count is a positive integer")
                }
                child =
                    argument == "--memory"
                    ? .memory(contestant: contestant, count: count) : .operations(contestant: contestant, count: count)
            case "--turn":
                let name = try value(argument, "a subject and a contestant")
                let contestant = try value(argument, "a subject and a contestant")
                guard let subject = Subject(rawValue: name)?.inTurns else {
                    throw Refusal(reason: "--turn \(name): the subjects are \(Subject.namesInTurns)")
                }
                child = .turn(subject: subject, contestant: contestant)
            default: throw Refusal(reason: "\(argument) is not an option")
            }
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
