import ApusBackground

/// The questions for permission that the user has not answered yet, in their order.
struct SystemQuestions {
    var waiting: [SystemQuestion] = []
    /// The app is on the way to inactive because of the first one.
    var isAsking = false
}

/// The system asks the user over the app that is in front, which is inactive meanwhile.
///
/// Apple, documentation/uikit/uiapplicationdelegate/applicationwillresignactive(_:). The user answers at once. What is asked
/// for before the app is active, as in its launch, or while it is not in front, waits until it is: Apple does not say what a
/// phone does with that.
extension SimulatedDevice {
    func ask(_ question: SystemQuestion) {
        questions.waiting.append(question)
        askWaitingQuestions()
    }

    /// Asks what waits, if the app is active.
    func askWaitingQuestions() {
        guard !questions.isAsking, !questions.waiting.isEmpty else { return }
        // What an answer to another question has settled needs no question.
        let settled = questions.waiting.filter { !$0.isOpen() }
        questions.waiting.removeAll { !$0.isOpen() }
        for question in settled { question.answer() }
        guard !questions.waiting.isEmpty, let host = runningHost, host.phase == .active, life.state == .active else {
            return
        }
        questions.isAsking = true
        walk(life.interrupt(), of: host) { device in device.answerQuestions() }
    }

    private func answerQuestions() {
        while !questions.waiting.isEmpty { questions.waiting.removeFirst().answer() }
        questions.isAsking = false
        if screen == .app, !isInCall, life.state == .inactive { activate() }
    }
}
