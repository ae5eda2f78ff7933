/// When a connection ends with an answer: because the answer says so, or because its request had not arrived when the
/// answer began. The rest of the request would have to be read before the next one.
struct ConnectionMachine {
    private enum Request {
        case arriving
        case complete
    }

    private var request = Request.complete
    private var isLast = false

    mutating func requestBegan() { request = .arriving }

    mutating func requestEnded() { request = .complete }

    /// - Returns: whether the answer is the last, and has to say so.
    mutating func answerBegins(asksToClose: Bool) -> Bool {
        switch request {
        case .arriving: isLast = true
        case .complete: isLast = isLast || asksToClose
        }
        return isLast
    }

    /// - Returns: whether the connection ends now.
    func answerEnds() -> Bool { isLast }
}
