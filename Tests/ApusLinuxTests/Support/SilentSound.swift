import Foundation

/// A WAV file of silence, 8000 samples of 8 bits a second.
func silentSound(milliseconds: Int) -> Data {
    let samples = 8 * milliseconds
    func little(_ value: Int, _ bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(value >> (8 * $0) & 255) } }
    var file: [UInt8] = Array("RIFF".utf8) + little(36 + samples, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
    file += little(1, 2) + little(1, 2) + little(8_000, 4) + little(8_000, 4) + little(1, 2) + little(8, 2)
    file += Array("data".utf8) + little(samples, 4) + [UInt8](repeating: 128, count: samples)
    return Data(file)
}
