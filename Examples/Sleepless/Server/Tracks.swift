import SleeplessApp

/// The app's three tracks, which the project has made and which are free.
enum Tracks {
    private static let scores: [(id: String, title: String, score: Synthesizer.Score)] = [
        (
            "dawn", "Dawn",
            .init(
                beat: 8_000, chords: [[0, 7, 12, 16], [5, 9, 12, 17], [-3, 4, 9, 12], [7, 11, 14, 19]] + dawnEnd,
                pattern: [0, 2, 1, 3, 2, 4, 3, nil])
        ),
        (
            "drift", "Drift",
            .init(
                beat: 6_400,
                chords: [[3, 10, 15, 19], [8, 12, 15, 20], [0, 7, 12, 15], [10, 14, 17, 22]] + driftMiddle,
                pattern: [0, nil, 3, nil, 1, 2, nil, 4])
        ),
        (
            "dusk", "Dusk",
            .init(
                beat: 9_600,
                chords: [[0, 7, 12, 15], [8, 12, 15, 20], [3, 10, 15, 19], [10, 14, 17, 22]] + duskEnd,
                pattern: [3, 2, nil, 1, 0, nil, 2, nil])
        ),
    ]
    private static let dawnEnd = [
        [0, 7, 12, 16], [9, 12, 16, 21], [5, 9, 12, 17], [7, 11, 14, 19], [5, 9, 12, 17], [0, 7, 12, 16],
    ]
    private static let driftMiddle = [
        [3, 10, 15, 19], [8, 12, 15, 20], [5, 8, 12, 17], [10, 14, 17, 22], [8, 12, 15, 20], [3, 10, 15, 19],
        [8, 12, 15, 20], [3, 10, 15, 19],
    ]
    private static let duskEnd = [[0, 7, 12, 15], [5, 8, 12, 17], [7, 10, 14, 19], [0, 7, 12, 15]]

    /// All tracks, with their addresses on the server.
    static let all = scores.map { id, title, score in
        Track(id: id, title: title, seconds: score.seconds, source: "/tracks/\(id).wav")
    }

    /// Returns the sound of a track as a WAV file with 16 bits and one channel; `nil` if there is no such track.
    static func wav(_ id: String) -> [UInt8]? {
        scores.first { $0.id == id }.map { wav(of: Synthesizer.samples($0.score)) }
    }

    private static func wav(of samples: [Int16]) -> [UInt8] {
        let rate = UInt32(Synthesizer.rate)
        let size = UInt32(samples.count * 2)
        var file: [UInt8] = []
        file.reserveCapacity(samples.count * 2 + 44)
        func append(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number.littleEndian) { file += $0 } }
        file += "RIFF".utf8
        append(size + 36)
        file += "WAVEfmt ".utf8
        append(UInt32(16))
        append(UInt16(1))
        append(UInt16(1))
        append(rate)
        append(rate * 2)
        append(UInt16(2))
        append(UInt16(16))
        file += "data".utf8
        append(size)
        for sample in samples { append(sample) }
        return file
    }
}

/// A cache that computes each sound at its first request.
actor SoundCache {
    private var files: [String: [UInt8]] = [:]

    /// Returns the file of a track; `nil` if there is no such track.
    func wav(_ id: String) -> [UInt8]? {
        if let known = files[id] { return known }
        files[id] = Tracks.wav(id)
        return files[id]
    }
}
