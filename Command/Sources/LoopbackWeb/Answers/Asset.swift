import HTTPTypes
public import Hummingbird
import NIOCore

/// A file of a page, from the program itself.
public struct Asset: Sendable {
    /// The file's name, with its extension and without folders.
    public let name: String
    private let content: ByteBuffer
    private let tag: String

    /// A file.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        content = ByteBuffer(bytes: bytes)
        // FNV-1a, 64 bits: it has to distinguish versions of one file, and a collision gives no attacker anything.
        let hash = bytes.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        tag = "\"\(String(hash, radix: 16))-\(bytes.count)\""
    }

    /// The answer to a `GET` or `HEAD` request for it: 304 without a body if the browser has this version.
    public func answer(to request: Request) -> Response {
        var headers: HTTPFields = [.eTag: tag, .cacheControl: "no-cache"]
        // With several tags or a weak one the file is sent again, which is never wrong.
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
    /// Answers `GET` and `HEAD` for a page: `/` with the asset `index.html`, `/assets/NAME` with each of the others.
    /// What is not among them is not found.
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
