import ApusClient
import ApusJobs

/// Reads a page of a list piece by piece, and ends it when its text would become too long for one answer: a client reads
/// 64 MiB at most.
enum BoundedPage {
    /// About how many bytes an answer has at most. Text in JSON can be six times as long.
    static let bytes = 8 << 20
    /// How many elements are in memory beside those of the page.
    private static let piece = 100

    /// A page of at most `limit` elements. `piece` reads so many of them, and says where the next ones begin, if there are
    /// more; `size` is about how many bytes one has.
    static func read<Element>(
        limit: Int, after: String?, size: (Element) -> Int,
        piece read: (_ limit: Int, _ after: String?) async throws -> (elements: [Element], next: String?)
    ) async throws -> (elements: [Element], next: String?) {
        var page: [Element] = []
        var next = after
        var bytes = 0
        repeat {
            let piece = try await read(min(piece, limit - page.count), next)
            page += piece.elements
            next = piece.next
            bytes += piece.elements.reduce(0) { $0 + size($1) }
        } while next != nil && page.count < limit && bytes < Self.bytes
        return (page, next)
    }
}

extension Job {
    /// About how many bytes it has as JSON.
    var textSize: Int {
        512 + request.payload.count + (request.name?.utf8.count ?? 0)
            + request.labels.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }
}

extension Run {
    /// About how many bytes it has as JSON.
    var textSize: Int {
        512 + min(output.count, WireRun.tailBytes) + min(result?.count ?? 0, WireRun.tailBytes)
            + (reason?.utf8.count ?? 0)
    }
}
