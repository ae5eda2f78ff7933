/// The pages of a query, in their order.
///
/// Each page is read when it is requested, so the pages do not show the jobs of one moment. A job that is submitted in
/// the meantime may be on a later page.
public struct QueryPages<Page: Sendable>: AsyncSequence, Sendable {
    /// Reads the pages, one after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let read: @Sendable (_ cursor: String?) async throws -> (page: Page, next: String?)
        /// The cursor of the next page, in an optional that is `nil` after the last page.
        ///
        /// The cursor itself is `nil` for the first page of a query that has no cursor.
        fileprivate var cursor: String??

        /// Returns the next page; `nil` after the last one.
        ///
        /// The first page may be empty.
        /// - Throws: The store's errors.
        public mutating func next() async throws -> Page? {
            guard let cursor else { return nil }
            let (page, next) = try await read(cursor)
            self.cursor = next.map { .some($0) }
            return page
        }
    }

    private let cursor: String?
    private let read: @Sendable (_ cursor: String?) async throws -> (page: Page, next: String?)

    init(from cursor: String?, _ read: @escaping @Sendable (String?) async throws -> (page: Page, next: String?)) {
        (self.cursor, self.read) = (cursor, read)
    }

    /// Returns an iterator that begins with the query's `cursor`.
    public func makeAsyncIterator() -> Iterator { Iterator(read: read, cursor: .some(cursor)) }
}

extension JobStore {
    /// Returns all pages of the jobs that match, each of at most ``JobQuery/limit`` jobs.
    public func pages(of query: JobQuery) -> QueryPages<JobPage> {
        QueryPages(from: query.cursor) { [self] cursor in
            var query = query
            query.cursor = cursor
            let page = try await jobs(query)
            return (page, page.nextCursor)
        }
    }

    /// Returns all pages of the runs that match, each of at most ``RunQuery/limit`` runs.
    public func pages(of query: RunQuery) -> QueryPages<RunPage> {
        QueryPages(from: query.cursor) { [self] cursor in
            var query = query
            query.cursor = cursor
            let page = try await runs(query)
            return (page, page.nextCursor)
        }
    }
}
