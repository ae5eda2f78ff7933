#if Postgres
    import ApusTimers

    extension ConnectionMachine {
        /// The meaning of a result of `PQgetResult`.
        enum Answer {
            case succeeded
            /// The command succeeded with the tag ROLLBACK: COMMIT of a failed transaction, or ROLLBACK TO SAVEPOINT.
            case rolledBack
            /// The server refused the command, and the session continues.
            case refused
            /// The server reported why it ends the session.
            case ended
            /// libpq could not store the result, so the server's action is unknown.
            case unreadable
            /// The server skipped the command after an error.
            case skipped
            case synced
        }

        enum AnswerAction: Equatable {
            /// Store the result of the batch's answer with this number.
            case result(BatchID, Int)
            /// Record an error of the batch's answer with this number, or of its commit if the number is `nil`.
            case error(BatchID, Int?)
            case none
            /// Complete the batch.
            case answered(BatchID, PostgresFate)
            /// Close the connection as lost, because the server violates the protocol.
            case violation
        }

        /// Handles the next answer, which belongs to the oldest batch in flight.
        mutating func received(_ answer: Answer) -> AnswerAction {
            let action: AnswerAction? = changeWork { work in
                let first = work.inFlight.startIndex
                guard !work.inFlight.isEmpty else { return .violation }
                let action = work.inFlight[first].receive(answer)
                if case .answered = action { work.inFlight.removeFirst() }
                return action
            }
            return action ?? .violation
        }
    }

    extension ConnectionMachine {
        /// The state of a sent batch.
        struct Entry {
            /// The next expected answer.
            private enum Stage {
                /// The answer with this number, counted from 0, or the first sync if all answers have arrived.
                case answer(Int)
                /// The answer to COMMIT, after the first sync.
                case commit
                /// The second sync.
                case lastSync
            }

            private enum Verdict {
                case undecided
                /// The server refused a part, or ended the session before the commit.
                case rejected
                case committed
            }

            let id: BatchID
            let shape: Shape
            let deadline: UptimeInstant?
            private var stage = Stage.answer(0)
            private var verdict = Verdict.undecided
            /// Whether the server ended the session at this batch; if so, it began no later batch.
            private(set) var isSessionEnded = false

            init(id: BatchID, shape: Shape, deadline: UptimeInstant?) {
                self.id = id
                self.shape = shape
                self.deadline = deadline
            }

            /// The fate of the batch if no further answer arrives.
            var fate: PostgresFate {
                switch verdict {
                case .undecided: .unknown
                case .rejected: .notApplied
                case .committed: .applied
                }
            }

            mutating func receive(_ answer: Answer) -> AnswerAction {
                if answer == .ended { isSessionEnded = true }
                return switch stage {
                case .answer(let number) where number < shape.answers: receive(answer, number: number)
                case .answer: shape.hasCommit ? receiveFirstSync(answer) : receiveOnlySync(answer)
                case .commit: receiveCommit(answer)
                case .lastSync: receiveLastSync(answer)
                }
            }

            private mutating func receive(_ answer: Answer, number: Int) -> AnswerAction {
                stage = .answer(number + 1)
                switch answer {
                case .succeeded, .rolledBack: return verdict == .undecided ? .result(id, number) : .violation
                // The server's messages arrive in order, so a result of this command would have arrived before the
                // error. The server has therefore not executed the command.
                case .refused, .ended: verdict = .rejected
                case .unreadable: break
                case .skipped: return verdict == .undecided ? .violation : .none
                case .synced: return .violation
                }
                return .error(id, number)
            }

            /// Handles the sync of an implicit transaction, at which the server commits it.
            private mutating func receiveOnlySync(_ answer: Answer) -> AnswerAction {
                switch answer {
                case .synced:
                    if verdict == .undecided { verdict = .committed }
                    return .answered(id, fate)
                // A deferred constraint has failed, for example. The answer to the sync itself still follows.
                case .refused: if verdict == .undecided { verdict = .rejected }
                // The server may have committed before the session ended.
                case .ended, .unreadable: break
                case .succeeded, .rolledBack, .skipped: return .violation
                }
                return .error(id, nil)
            }

            /// Handles the sync before COMMIT, at which the server commits nothing.
            private mutating func receiveFirstSync(_ answer: Answer) -> AnswerAction {
                switch answer {
                case .synced:
                    stage = .commit
                    return .none
                case .refused, .ended: verdict = .rejected
                case .unreadable: break
                case .succeeded, .rolledBack, .skipped: return .violation
                }
                return .error(id, nil)
            }

            private mutating func receiveCommit(_ answer: Answer) -> AnswerAction {
                stage = .lastSync
                switch answer {
                case .succeeded:
                    if verdict == .undecided { verdict = .committed }
                    return .none
                case .refused, .rolledBack: if verdict == .undecided { verdict = .rejected }
                // The server may have committed before the session ended.
                case .ended, .unreadable: break
                case .skipped, .synced: return .violation
                }
                return .error(id, nil)
            }

            /// Handles the sync after COMMIT; the fate of the batch is decided before it.
            private func receiveLastSync(_ answer: Answer) -> AnswerAction {
                switch answer {
                case .synced: .answered(id, fate)
                case .refused, .ended, .unreadable: .error(id, nil)
                case .succeeded, .rolledBack, .skipped: .violation
                }
            }
        }
    }
#endif
