/// The pages of lists, the same in all stores.
package enum ListPage {
    /// A page has at most this many entries, whatever was asked for: it is in memory as a whole.
    package static let largest = 10_000

    /// How many entries a page has of which `limit` were asked for.
    package static func size(_ limit: Int) throws(JobError) -> Int {
        guard limit > 0 else { throw JobError(code: .invalid, message: "limit is \(limit); it must be at least 1") }
        return min(limit, largest)
    }

    /// The position that a page's cursor stands for. The list's prefix keeps the cursors of other lists out.
    package static func position(_ cursor: String, prefix: String) throws(JobError) -> Int64 {
        guard cursor.hasPrefix(prefix), let position = Int64(cursor.dropFirst(prefix.count)), position >= 0,
            "\(prefix)\(position)" == cursor
        else {
            throw JobError(
                code: .invalid,
                message: "after is \"\(cursor)\"; it must be the `next` of an earlier page of the same list")
        }
        return position
    }
}
