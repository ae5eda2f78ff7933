/// Plucked notes over a soft chord, computed with integers so that the sound is the same on every machine.
struct Synthesizer {
    /// The number of samples per second.
    static let rate = 16_000

    /// A piece of music.
    struct Score: Sendable {
        /// The duration of a beat, in samples.
        var beat: Int
        /// The chords of eight beats each, with notes in semitones above A2 (110 Hz).
        var chords: [[Int]]
        /// The index of the chord's note that is plucked in each beat; `nil` is a rest.
        var pattern: [Int?]

        var seconds: Double { Double(beat * 8 * chords.count) / Double(Synthesizer.rate) }
    }

    /// A sine of 1024 samples, from -16384 to 16384.
    private static let sine: [Int32] = (0..<1_024).map { index in
        // A quarter of the period is computed with Taylor's series, because additions and multiplications give the
        // same result everywhere.
        let quarter = index % 512 <= 256 ? index % 512 : 512 - index % 512
        let x = Double(quarter) * 3.14159265358979 / 512
        let square = x * x
        let value = x * (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72))))
        let whole = Int32(value * 16_384)
        return index < 512 ? whole : -whole
    }

    /// Returns the amount by which a 32-bit phase advances in each sample, for a note above A2.
    ///
    /// A semitone multiplies the frequency by the twelfth root of 2.
    private static func step(_ semitones: Int) -> UInt32 {
        var frequency = 110.0
        for _ in 0..<max(0, semitones) { frequency *= 1.0594630943592953 }
        return UInt32(frequency / Double(rate) * 4_294_967_296)
    }

    /// Returns the samples of a score, faded in and out.
    static func samples(_ score: Score) -> [Int16] {
        let chordLength = score.beat * 8
        var sound = [Int32](repeating: 0, count: chordLength * score.chords.count)
        for (number, chord) in score.chords.enumerated() {
            let begin = number * chordLength
            for note in chord {
                swell(step(note), into: &sound, from: begin, length: chordLength, loudness: 2_800)
            }
            for beat in 0..<8 {
                guard let index = score.pattern[(number * 8 + beat) % score.pattern.count] else { continue }
                let note = chord[index % chord.count] + 24 + index / chord.count * 12
                pluck(step(note), into: &sound, from: begin + beat * score.beat, loudness: 14_000)
            }
        }
        let fade = rate
        return sound.indices.map { index in
            let edge = min(index, sound.count - 1 - index, fade)
            return Int16(clamping: Int(sound[index]) * edge / fade)
        }
    }

    /// Adds a tone that swells and fades with the chord, and a softer one that is a fifth of a hertz higher.
    private static func swell(_ step: UInt32, into sound: inout [Int32], from begin: Int, length: Int, loudness: Int32)
    {
        var (phase, other) = (UInt32(0), UInt32(1 << 30))
        let edge = rate / 2
        for index in 0..<length {
            let level = Int32(min(index, length - index, edge) * 1_024 / edge)
            let value = sine[Int(phase >> 22)] + sine[Int(other >> 22)] / 2
            sound[begin + index] += ((value * loudness) >> 14) * level >> 10
            phase &+= step
            other &+= step &+ 53_687
        }
    }

    /// Adds a tone that begins loud and decays, with its octave.
    private static func pluck(_ step: UInt32, into sound: inout [Int32], from begin: Int, loudness: Int32) {
        var phase: UInt32 = 0
        // The level is in units of 2⁻¹⁶, so that the tone can decay slowly.
        var level = Int64(loudness) << 16
        var index = begin
        while level > 1 << 18, index < sound.count {
            let attack = Int64(min(index - begin, 64))
            let value = Int64(sine[Int(phase >> 22)]) * 3 + Int64(sine[Int((phase &* 2) >> 22)])
            sound[index] += Int32((value * (level >> 16) >> 16) * attack / 64)
            phase &+= step
            level -= level >> 12
            index += 1
        }
    }
}
