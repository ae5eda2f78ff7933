#if Postgres
    import ApusTimers
    import Testing

    @testable import ApusPostgres

    /// A server that follows the protocol over a fragile connection and knows what it has committed.
    private struct ModelServer {
        private(set) var committed: Set<ConnectionMachine.BatchID> = []
        /// The answers that the client has not read yet.
        var answers: ArraySlice<ConnectionMachine.Answer> = []
        private var isEnded = false

        /// Executes a batch that has arrived as a whole, with random errors and breaks.
        mutating func execute(_ id: ConnectionMachine.BatchID, _ shape: ConnectionMachine.Shape, _ random: SeededRandom)
        {
            guard !isEnded else { return }
            var isFailed = false
            for _ in 0..<shape.answers {
                if isFailed {
                    answers.append(.skipped)
                } else if random.chance(8) {
                    isFailed = true
                    answers.append(.refused)
                } else if random.chance(40) {
                    return end()
                } else {
                    answers.append(random.chance(30) ? .unreadable : .succeeded)
                }
            }
            if shape.hasCommit {
                if random.chance(40) { return end() }
                answers.append(.synced)
            }
            commit(id, shape, isFailed: isFailed, random)
        }

        private mutating func commit(
            _ id: ConnectionMachine.BatchID, _ shape: ConnectionMachine.Shape, isFailed: Bool, _ random: SeededRandom
        ) {
            if random.chance(40) { return end() }
            var isRefused = isFailed
            if !isFailed, random.chance(10) {
                isRefused = true
                answers.append(.refused)
            }
            if !isRefused { committed.insert(id) }
            // At random, the session ends after the commit and before the answer.
            if random.chance(40) { return end() }
            if shape.hasCommit, isFailed || !isRefused { answers.append(isFailed ? .rolledBack : .succeeded) }
            answers.append(.synced)
        }

        private mutating func end() {
            isEnded = true
            // The server may still send the reason.
            answers.append(.ended)
        }
    }

    extension SeededRandom {
        /// Returns `true` once in `count` times on average.
        fileprivate func chance(_ count: UInt64) -> Bool { next() % count == 0 }
    }

    /// A random program with the machine between a caller and the model server.
    private struct Program {
        let random: SeededRandom
        var machine = ConnectionMachine(connectDeadline: nil)
        var server = ModelServer()
        var open: Set<ConnectionMachine.BatchID> = []
        var shapes: [ConnectionMachine.BatchID: ConnectionMachine.Shape] = [:]
        /// The batches given to libpq and perhaps not yet sent to the server.
        var inBuffer: [ConnectionMachine.BatchID] = []
        var isFinished = false
        var complaints: [String] = []

        init(seed: UInt64) {
            random = SeededRandom(seed: seed)
            _ = machine.connectPolled(.ready)
        }

        mutating func run() {
            for _ in 0..<(20 + random.next() % 100) where !isFinished {
                switch random.next() % 12 {
                case 0...4: if let id = machine.submit(deadline: nil) { open.insert(id) }
                case 5: withdraw()
                case 6...9: read()
                case 10 where random.chance(8): lose()
                case 11 where random.chance(10): if machine.close() == .finish { finish() }
                default: _ = machine.ready(random.chance(2) ? .readable : .writable)
                }
                proceed()
            }
            // From here on there are no faults, so everything is delivered and read, and the connection gets closed.
            if !isFinished, machine.close() == .finish { finish() }
            for _ in 0..<1_000 where !isFinished {
                _ = machine.ready([.readable, .writable])
                proceed(isCalm: true)
                while !server.answers.isEmpty, !isFinished { receiveOne() }
                proceed(isCalm: true)
            }
            if !isFinished { complaints.append("closing does not end: \(machine.phase)") }
            if !open.isEmpty { complaints.append("\(open.count) batches have no end") }
        }

        private mutating func proceed(isCalm: Bool = false) {
            for _ in 0..<10_000 {
                switch machine.next() {
                case .send(let id):
                    let shape = ConnectionMachine.Shape(
                        answers: Int(1 + random.next() % 4), hasCommit: random.chance(2))
                    shapes[id] = shape
                    inBuffer.append(id)
                    machine.sent(id, as: shape)
                case .flush:
                    let isComplete = isCalm || !random.chance(3)
                    let count = isComplete ? inBuffer.count : Int(random.next() % UInt64(inBuffer.count + 1))
                    deliver(count)
                    machine.flushed(isComplete: isComplete)
                case .arm: complaints.append("there is no deadline")
                case .finish: finish()
                case .wait: return
                }
            }
            complaints.append("there is always something to do")
        }

        private mutating func deliver(_ count: Int) {
            for id in inBuffer.prefix(count) { server.execute(id, shapes[id] ?? .init(answers: 1), random) }
            inBuffer.removeFirst(count)
        }

        private mutating func read() {
            for _ in 0..<(random.next() % 8) where !server.answers.isEmpty && !isFinished { receiveOne() }
        }

        private mutating func receiveOne() {
            guard let answer = server.answers.popFirst() else { return }
            switch machine.received(answer) {
            case .answered(let id, let fate): end(id, fate)
            case .violation: complaints.append("\(answer) is taken for a violation")
            case .result(let id, _), .error(let id, _):
                if id != open.filter({ shapes[$0] != nil }).min(by: { $0.number < $1.number }) {
                    complaints.append("an answer is given to batch \(id.number)")
                }
            case .none: break
            }
            if answer == .ended { lose() }
        }

        private mutating func withdraw() {
            guard let id = open.min(by: { $0.number > $1.number }) else { return }
            if machine.withdraw(id) {
                if shapes[id] != nil { complaints.append("batch \(id.number) was sent and taken back") }
                open.remove(id)
            }
        }

        private mutating func lose() {
            // Some of the batches in the buffer may still reach the server.
            deliver(Int(random.next() % UInt64(inBuffer.count + 1)))
            for entry in machine.lost() { end(entry.id, entry.fate) }
            _ = machine.close()
            finish()
        }

        private mutating func end(_ id: ConnectionMachine.BatchID, _ fate: PostgresFate) {
            if open.remove(id) == nil { complaints.append("batch \(id.number) ends twice") }
            switch fate {
            case .unknown: break
            case .applied: if !server.committed.contains(id) { complaints.append("batch \(id.number) was not applied") }
            case .notApplied: if server.committed.contains(id) { complaints.append("batch \(id.number) was applied") }
            }
        }

        private mutating func finish() {
            isFinished = true
            if !open.isEmpty { complaints.append("the connection is released while batches are under way") }
        }
    }

    @Suite("Random programs of the machine of a connection")
    struct ConnectionMachineProgramTests {
        @Test("every batch ends once with its true fate, whatever the server and the network do")
        func programs() {
            for seed in UInt64(1)...5_000 {
                var program = Program(seed: seed)
                program.run()
                #expect(program.complaints == [], "seed \(seed)")
                if !program.complaints.isEmpty { return }
            }
        }
    }
#endif
