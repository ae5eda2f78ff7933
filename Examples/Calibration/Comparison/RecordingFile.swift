import Foundation

/// The file of a recording cannot be compared.
struct RecordingFileError: Error, Equatable, CustomStringConvertible {
    let description: String
}

extension Recording {
    /// Reads a recording.
    ///
    /// - Throws: ``RecordingFileError``, which names the file and what is wrong with it.
    static func read(_ path: String) throws(RecordingFileError) -> Recording {
        let data: Data
        do {
            data = try FileHandle(forReadingFrom: URL(filePath: path)).readToEnd() ?? Data()
        } catch {
            throw RecordingFileError(description: "\(path) cannot be read: \(error.localizedDescription)")
        }
        struct Format: Decodable { let format: Int }
        let decoder = JSONDecoder()
        guard let format = try? decoder.decode(Format.self, from: data).format else {
            throw RecordingFileError(
                description: "\(path) is no recording of the calibration app: it is not JSON, or has no format")
        }
        guard format == currentFormat else {
            throw RecordingFileError(
                description: "\(path) has the format \(format), and this version reads \(currentFormat); "
                    + "record it with the app of this version")
        }
        let recording: Recording
        do {
            recording = try decoder.decode(Recording.self, from: data)
        } catch {
            throw RecordingFileError(
                description: "\(path) is no recording: it needs a text `system`, and in `answers` numbers and texts")
        }
        let unknown = recording.answers.keys.filter { Question(rawValue: $0) == nil }.sorted()
        guard unknown.isEmpty else {
            throw RecordingFileError(
                description: "\(path) has answers to questions that this version does not have: "
                    + unknown.joined(separator: ", "))
        }
        return recording
    }
}
