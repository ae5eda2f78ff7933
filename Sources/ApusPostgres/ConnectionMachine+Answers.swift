#if Postgres
    import ApusTimers

    extension ConnectionMachine {
        /// What `PQgetResult` returned.
        enum Answer {
            case succeeded
            /// Succeeded with the tag ROLLBACK: a failed transaction's COMMIT, or ROLLBACK TO SAVEPOINT.
            case rolledBack
            /// The server refused, and the session continues.
            case refused
            /// The server said why it ends the session.
            case ended
            /// libpq could not keep the result; what the server did is not known from it.
            case unreadable
            /// Skipped after an error.
            case skipped
            case synced
        }

        enum AnswerAction: Equatable {
            /// The result of the batch's answer with that number.
            case result(BatchID, Int)
            /// An error of the batch: of the answer with that number, or of its commit.
            case error(BatchID, Int?)
            /// Nothing to be kept.
            case none
            /// The batch is answered.
            case answered(BatchID, PostgresFate)
            /// The server does not keep to the protocol: close the connection as lost.
            case violation
        }

        /// The next answer has arrived; it belongs to the oldest batch in flight.
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
        /// What the machine knows about a batch.
        struct Entry {
            /// Which answer comes next.
            private enum Stage {
                /// The answer with that number, counted from 0; with all of them received, the first sync.
                case answer(Int)
                /// COMMIT, after the first sync.
                case commit
                /// The second sync.
                case lastSync
            }

            private enum Verdict {
                case undecided
                /// The server refused a part, or ended the session before it could commit.
                case rejected
                case committed
            }

            let id: BatchID
            let shape: Shape
            let deadline: UptimeInstant?
            private var stage = Stage.answer(0)
            private var verdict = Verdict.undecided
            /// Whether the server ended the session at this batch, so that it has begun no later one.
            private(set) var isSessionEnded = false

            init(id: BatchID, shape: Shape, deadline: UptimeInstant?) {
                self.id = id
                self.shape = shape
                self.deadline = deadline
            }

            /// What is known of the batch if no further answer comes.
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
                // The messages of a session come in their order: had it done this part, its answer would be here.
                case .refused, .ended: verdict = .rejected
                case .unreadable: break
                case .skipped: return verdict == .undecided ? .violation : .none
                case .synced: return .violation
                }
                return .error(id, number)
            }

            /// The sync of an implicit transaction, which is where the server commits it.
            private mutating func receiveOnlySync(_ answer: Answer) -> AnswerAction {
                switch answer {
                case .synced:
                    if verdict == .undecided { verdict = .committed }
                    return .answered(id, fate)
                // A deferred constraint has failed, for example. The sync itself still follows.
                case .refused: if verdict == .undecided { verdict = .rejected }
                // It may have committed, and not come to say so.
                case .ended, .unreadable: break
                case .succeeded, .rolledBack, .skipped: return .violation
                }
                return .error(id, nil)
            }

            /// The sync before COMMIT, at which the server commits nothing.
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
                // It may have committed, and not come to say so.
                case .ended, .unreadable: break
                case .skipped, .synced: return .violation
                }
                return .error(id, nil)
            }

            /// The sync after COMMIT, when the fate is known.
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
