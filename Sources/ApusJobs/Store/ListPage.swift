/// The rules for the sizes and cursors of pages, which are the same in all stores.
package enum ListPage {
    /// The largest number of entries of a page, regardless of the requested number, because a page is in memory as a
    /// whole.
    package static let largest = 10_000

    /// Returns the number of entries of a page for a requested number.
    ///
    /// - Throws: ``JobError`` with `invalid` if the requested number is less than 1.
    package static func size(_ limit: Int) throws(JobError) -> Int {
        guard limit > 0 else { throw JobError(code: .invalid, message: "limit: must be 1 or more, not \(limit)") }
        return min(limit, largest)
    }

    /// Returns the position of a cursor; the prefix distinguishes the cursors of different lists.
    ///
    /// - Throws: ``JobError`` with `invalid` for a cursor that is not of this list.
    package static func position(_ cursor: String, prefix: String) throws(JobError) -> Int64 {
        guard cursor.hasPrefix(prefix), let position = Int64(cursor.dropFirst(prefix.count)), position >= 0,
            "\(prefix)\(position)" == cursor
        else {
            throw JobError(
                code: .invalid,
                message: "after: must be the `next` of an earlier page of the same list, not \"\(cursor)\"")
        }
        return position
    }
}
