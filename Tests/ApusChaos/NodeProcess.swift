#if Postgres
    import ApusTimers
    import Foundation

    /// A node as the program that torments it sees it.
    final class NodeProcess: Sendable {
        private struct State {
            var isUp = false
            var hasEnded = false
            var lastWords: String?
            /// Submissions that were sent and not answered.
            var waiting = 0
        }

        let name: String
        let log: String
        private let process: Child
        private let input: Int32
        private let state = Locked(State())
        private let queue: DispatchQueue

        /// Starts a node. `answer` is called with a submission's number and, if it was refused, why.
        init(
            _ name: String, program: String, connection: String, files: WorkFolder, effects: String,
            environment: [String: String], answer: @escaping @Sendable (Int, String?) -> Void
        ) throws {
            self.name = name
            log = "\(files.path)/\(name).log"
            queue = DispatchQueue(label: "apus.chaos.\(name)")
            let (input, output) = (try PrivatePipe(), try PrivatePipe())
            let errors = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            process = try Child(
                [program, "node", name, connection, effects], environment: environment,
                input: input.reader, output: output.writer, errors: errors)
            close(input.reader)
            close(output.writer)
            close(errors)
            files.note(process.id)
            self.input = input.writer
            // A node that is stopped reads nothing: the pipe must not block this program.
            _ = fcntl(self.input, F_SETFL, O_NONBLOCK)
            let answers = FileHandle(fileDescriptor: output.reader, closeOnDealloc: true)
            Thread.detachNewThread { [self] in
                var rest = Data()
                while true {
                    let data = answers.availableData
                    if data.isEmpty { break }
                    rest.append(data)
                    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                        read(String(decoding: rest[rest.startIndex..<end], as: UTF8.self), answer)
                        rest = Data(rest[rest.index(after: end)...])
                    }
                }
                _ = process.wait()
                state.withLock { $0.hasEnded = true }
            }
        }

        private func read(_ line: String, _ answer: (Int, String?) -> Void) {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            switch words.first {
            case "up": state.withLock { $0.isUp = true }
            case "end": state.withLock { $0.lastWords = line }
            case "ok", "no":
                state.withLock { $0.waiting -= 1 }
                guard words.count == 3, let number = Int(words[1]) else { return }
                answer(number, words[0] == "ok" ? nil : words[2])
            default: break
            }
        }

        var isUp: Bool { state.withLock { $0.isUp && !$0.hasEnded } }
        var hasEnded: Bool { state.withLock { $0.hasEnded } }
        /// Why it has ended, if it said so.
        var lastWords: String? { state.withLock { $0.lastWords } }

        /// - Returns: whether the node was asked; not if it does not answer.
        func submit(_ submission: Submission) -> Bool {
            guard state.withLock({ $0.isUp && !$0.hasEnded && $0.waiting < 500 }) else { return false }
            state.withLock { $0.waiting += 1 }
            var bytes = Array("\(submission.line)\n".utf8)
            return queue.sync { Glibc.write(input, &bytes, bytes.count) == bytes.count }
        }

        func signal(_ number: Int32) { if !hasEnded { kill(process.id, number) } }

        func waitForEnd(atMost limit: Duration) async throws {
            try await until("the end of node \(name)", atMost: limit) { self.hasEnded }
        }
    }
#endif
