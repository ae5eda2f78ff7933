import UIKit

/// Collects the answers of the phone that the app runs on.
@MainActor
final class Recorder {
    static let shared = Recorder()

    private var answers: [Question: Answer] = [:]
    private var callbacks: [String] = []

    /// Notes a call of the system in the order of these calls.
    func called(_ name: String) { callbacks.append(name) }

    /// Answers a question with the calls since the last such question.
    func answerWithCallbacks(_ question: Question) {
        answer(question, .text(callbacks.joined(separator: ", ")))
        callbacks = []
    }

    func answer(_ question: Question, _ answer: Answer) { answers[question] = answer }

    /// Prints the recording as one line, and writes it to the app's documents.
    ///
    /// - Throws: The errors of coding and of writing the file.
    func finish() throws {
        let device = UIDevice.current
        let recording = Recording(
            system: "\(device.systemName) \(device.systemVersion), \(device.model)",
            answers: Dictionary(uniqueKeysWithValues: answers.map { ($0.rawValue, $1) }))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(recording)
        print(String(decoding: data, as: UTF8.self))
        let folder = try FileManager.default.url(
            for: .documentDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
        try data.write(to: folder.appendingPathComponent("recording.json"))
    }
}
