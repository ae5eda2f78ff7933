import SleeplessApp
import Testing

@testable import Sleepless

@Suite("The tracks")
struct SoundTests {
    private let sums: [String: UInt32] = ["dawn": 2_520_571_164, "drift": 3_705_834_988, "dusk": 3_535_660_194]

    @Test("each is half a minute to a minute of sound, the same on every machine, not silent and not too loud")
    func tracks() throws {
        #expect(Tracks.all.map(\.id) == ["dawn", "drift", "dusk"])
        for track in Tracks.all {
            let file = try #require(Tracks.wav(track.id))
            #expect((30...60).contains(track.seconds))
            #expect(file.count == 44 + Int(track.seconds * 16_000) * 2)
            #expect(Array(file[0..<4]) == Array("RIFF".utf8))
            let samples = stride(from: 44, to: file.count, by: 2).map { index in
                Int16(bitPattern: UInt16(file[index]) | UInt16(file[index + 1]) << 8)
            }
            let loudest = samples.map { abs(Int32($0)) }.max() ?? 0
            #expect((8_000...30_000).contains(loudest), "\(track.id): \(loudest)")
            // Only every 101st sample is compared, for speed. The distance is a prime number.
            let sum = stride(from: 0, to: samples.count, by: 101).reduce(UInt32(0)) { sum, index in
                sum &* 31 &+ UInt32(truncatingIfNeeded: samples[index])
            }
            #expect(sum == sums[track.id])
            #expect(samples.first == 0)
            #expect(abs(Int32(samples.last ?? .max)) < 100)
        }
        #expect(Tracks.wav("noise") == nil)
    }
}
