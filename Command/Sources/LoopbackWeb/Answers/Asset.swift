import ApusTimers
import HTTPTypes
public import Hummingbird
import NIOCore

/// A file of a web page that the program itself contains.
public struct Asset: Sendable {
    /// The file's name, with its extension and without folders.
    public let name: String
    private let content: ByteBuffer
    private let tag: String

    /// Creates a file.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        content = ByteBuffer(bytes: bytes)
        // FNV-1a with 64 bits is enough, because the tag only distinguishes versions of one file, and a collision is of
        // no use to an attacker.
        let hash = bytes.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        tag = "\"\(String(hash, radix: 16))-\(bytes.count)\""
    }

    /// Returns the answer to a `GET` or `HEAD` request for the file: 304 without a body if the browser has this
    /// version.
    public func answer(to request: Request) -> Response {
        var headers: HTTPFields = [.eTag: tag, .cacheControl: "no-cache"]
        // If the request contains several tags or a weak one, the file is sent again, which is always correct.
        if request.headers[.ifNoneMatch] == tag { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = contentType
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: content))
    }

    private var contentType: String {
        switch name.unicodeScalars.split(separator: ".").last.map(String.init) {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "json": "application/json; charset=utf-8"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "woff2": "font/woff2"
        case "wav": "audio/wav"
        case "txt": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}

extension RouterMethods {
    /// Adds routes that answer `GET` and `HEAD` for a page: `/` with the asset `index.html`, `/assets/NAME` with each
    /// other asset.
    public func addPage(_ assets: [Asset]) {
        for asset in assets {
            let path: RouterPath = asset.name == "index.html" ? "/" : "/assets/\(asset.name)"
            for method in [HTTPRequest.Method.get, .head] {
                on(path, method: method) { request, _ in
                    let answer = asset.answer(to: request)
                    return method == .head ? answer.createHeadResponse() : answer
                }
            }
        }
    }
}

/// Formats the `Date` of an answer (RFC 9110, 6.6.1).
///
/// The text is computed for each answer, so that no timer has to keep it current.
enum HTTPDate {
    /// Returns an instant in the form `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(_ instant: WallInstant) -> String {
        let seconds = Int(instant.nanoseconds / 1_000_000_000)
        let (day, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        // The days are counted from 0000-03-01, so that a leap day is the last day of its year.
        let shifted = day + 719_468
        let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let date = dayOfYear - (153 * month + 2) / 5 + 1
        let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
        let time = "\(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60))"
        return "\(days[(day + 4) % 7]), \(two(date)) \(months[(month + 2) % 12]) \(year) \(time) GMT"
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
