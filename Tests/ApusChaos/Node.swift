#if Postgres
    import ApusJobs
    import ApusPostgres
    import ApusTimers
    import ArgumentParser
    import Foundation
    import Logging

    /// One node of the cluster: a process that takes submissions from its input, and whose handlers write down what they
    /// do.
    struct Node: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "node", abstract: "Run one node; chaos does it.", shouldDisplay: false)

        @Argument var name: String
        @Argument var connection: String
        @Argument(help: "The file that handlers write to.") var effects: String

        func run() async throws {
            LoggingSystem.bootstrap { label in
                var handler = StreamLogHandler.standardError(label: label)
                handler.logLevel = .notice
                return handler
            }
            let store = PostgresStore(try PostgresConfiguration(connection))
            let scheduler = JobScheduler(store: store, configuration: .init(node: NodeID(rawValue: name)))
            let effects = try EffectLog(effects, node: name)
            for kind in JobKind.allCases {
                scheduler.handle(kind.rawValue) { run in try await Self.handle(kind, run, effects) }
            }
            let answers = FileHandle.standardOutput
            let isStopped = Locked(false)
            // The input's end is this program's; a signal is a request to leave.
            Thread.detachNewThread {
                while let line = readLine(strippingNewline: true) {
                    guard let submission = Submission(line: line) else { continue }
                    Task { await Self.submit(submission, to: scheduler, answers) }
                }
                Glibc.exit(3)
            }
            signal(SIGTERM, SIG_IGN)
            let terminated = DispatchSource.makeSignalSource(signal: SIGTERM)
            terminated.setEventHandler {
                isStopped.withLock { $0 = true }
                Task { await scheduler.stop(grace: .seconds(1)) }
            }
            terminated.resume()
            do {
                try await scheduler.run { answers.write(Data("up\n".utf8)) }
            } catch {
                answers.write(Data("end \(error)\n".utf8))
                Glibc.exit(2)
            }
            Glibc.exit(isStopped.withLock { $0 } ? 0 : 1)
        }

        private static func submit(_ submission: Submission, to scheduler: JobScheduler, _ answers: FileHandle) async {
            do {
                let job = try await scheduler.submit(submission.request)
                answers.write(Data("ok \(submission.number) \(job.id)\n".utf8))
            } catch {
                let text = "\(error)".replacingOccurrences(of: "\n", with: " ").prefix(300)
                answers.write(Data("no \(submission.number) \(text)\n".utf8))
            }
        }

        private static func handle(_ kind: JobKind, _ run: RunContext, _ effects: EffectLog) async throws {
            effects.write(.start, run)
            switch kind {
            case .quick: break
            case .slow: try await wait(.milliseconds(1_200))
            case .flaky:
                if run.attempt == 1, run.occurrence % 2 == 1 {
                    throw JobFailure(reason: "as it should", isFinal: false)
                }
            }
            effects.write(.end, run)
        }
    }

    /// What handlers have done, a line each. A line is one write: once it is made, it survives the end of the process.
    final class EffectLog: Sendable {
        enum Event: String { case start, end }

        private let file: Int32
        private let node: String
        private let shift = ShiftedClock.shift

        init(_ path: String, node: String) throws {
            file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw Failure("\(path) cannot be opened") }
            self.node = node
        }

        func write(_ event: Event, _ run: RunContext) {
            // As the database's clock has it.
            let now = Int64(wallNow()) - shift
            let line = "\(event.rawValue) \(node) \(run.job.id) \(run.occurrence) \(run.attempt) \(now)\n"
            var bytes = Array(line.utf8)
            let count = Glibc.write(file, &bytes, bytes.count)
            precondition(count == bytes.count, "an effect could not be written down")
        }
    }
#endif
