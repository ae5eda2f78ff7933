import ApusTimers
import Foundation

/// What gpsd says that matters here (gpsd_json(5)).
enum GPSDReport: Equatable {
    /// What a receiver knows: where it is, or that it does not.
    case fix(device: String, Fix?)
    /// The receiver is not used any more, or was unplugged.
    case deviceGone(String)
    case error(String)

    struct Fix: Equatable {
        var latitude: Double
        var longitude: Double
        /// The radius in metres, when gpsd has an estimate.
        var accuracy: Double?
        /// By the satellites' clocks; receivers may know where they are before they know when.
        var instant: WallInstant?
    }

    /// The command after which gpsd reports.
    static let watch = #"?WATCH={"enable":true,"json":true}"#

    private struct Wire: Decodable {
        var `class`: String
        var device: String?
        var path: String?
        var mode: Int?
        var time: String?
        var lat: Double?
        var lon: Double?
        var eph: Double?
        var epx: Double?
        var epy: Double?
        var message: String?
        var activated: Activation?
    }

    /// A number or an instant: 0 when the receiver is not used.
    private enum Activation: Decodable {
        case off, on

        init(from decoder: any Decoder) throws {
            self = (try? decoder.singleValueContainer().decode(Double.self)) == 0 ? .off : .on
        }
    }

    /// Reads a line; `nil` for what does not matter here.
    ///
    /// - Throws: When the line is no JSON of gpsd's.
    init?(line: String) throws {
        let wire = try JSONDecoder().decode(Wire.self, from: Data(line.utf8))
        switch wire.class {
        case "TPV":
            let device = wire.device ?? ""
            switch wire.mode {
            case 0, 1: self = .fix(device: device, nil)
            case 2, 3:
                guard let fix = Self.fix(wire) else { return nil }
                self = .fix(device: device, fix)
            default: return nil
            }
        case "DEVICE":
            guard let path = wire.path, wire.activated == .off else { return nil }
            self = .deviceGone(path)
        case "ERROR": self = .error(wire.message ?? "")
        default: return nil
        }
    }

    private static func fix(_ wire: Wire) -> Fix? {
        guard let latitude = wire.lat, let longitude = wire.lon, -90...90 ~= latitude, -180...180 ~= longitude else {
            return nil
        }
        return Fix(
            latitude: latitude, longitude: longitude, accuracy: accuracy(wire),
            instant: wire.time.flatMap(GPSDTime.instant))
    }

    /// The error of the position, or else what the errors to the east and to the north make.
    private static func accuracy(_ wire: Wire) -> Double? {
        let both = wire.epx.flatMap { east in wire.epy.map { ($0 * $0 + east * east).squareRoot() } }
        return [wire.eph, both].compactMap(\.self).first { $0.isFinite && $0 >= 0 }
    }
}
