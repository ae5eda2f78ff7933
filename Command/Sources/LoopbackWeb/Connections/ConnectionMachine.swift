/// When a connection ends with an answer: because the client or the answer says so, or because a request had not
/// arrived when the answer began. The rest of the request would have to be read before the next one.
struct ConnectionMachine {
    /// What the head of a request says about its connection.
    struct Request {
        /// Whether the client takes no further answer (`Connection: close`, HTTP/1.0).
        var isLast: Bool
        /// Whether the client reads HTTP/1.0, which has no chunks.
        var isHTTP10: Bool
    }

    /// How an answer begins.
    struct Beginning: Equatable {
        /// Whether it is the last, and has to say so.
        var isLast: Bool
        /// Whether it is one of HTTP/1.0.
        var isHTTP10: Bool
    }

    private enum Arrival {
        case arriving
        case complete
    }

    private var arrival = Arrival.complete
    /// The requests without an answer yet, oldest first: several if the client does not wait for answers.
    private var unanswered: [Request] = []
    private var isLast = false

    mutating func requestBegan(_ request: Request) {
        arrival = .arriving
        unanswered.append(request)
    }

    mutating func requestEnded() { arrival = .complete }

    mutating func answerBegins(asksToClose: Bool) -> Beginning {
        // An answer without a request is the one to what could not be understood.
        let request = unanswered.isEmpty ? Request(isLast: true, isHTTP10: false) : unanswered.removeFirst()
        switch arrival {
        case .arriving: isLast = true
        case .complete: isLast = isLast || request.isLast || asksToClose
        }
        return Beginning(isLast: isLast, isHTTP10: request.isHTTP10)
    }

    /// - Returns: whether the connection ends now.
    func answerEnds() -> Bool { isLast }

    /// Whether every request has its answer: the client has the next word.
    var isIdle: Bool { unanswered.isEmpty && arrival == .complete }
}
