import HTTPTypes
public import Hummingbird

/// The paths of a router, with the methods of each.
struct KnownPaths: Sendable {
    private let routes: [(path: [Substring], method: HTTPRequest.Method)]

    /// Creates the table of a router's routes.
    ///
    /// - Parameter routes: paths as a router shows them (`/v1/jobs/{id}`, `/app/**`), and methods.
    init(_ routes: [(path: String, method: HTTPRequest.Method)]) {
        self.routes = routes.map { (Self.parts($0.path), $0.method) }
    }

    /// Returns the methods of a path, sorted; empty if the path is unknown.
    func methods(of path: String) -> [String] {
        let path = Self.parts(path)
        return Set(routes.filter { Self.matches(path, $0.path) }.map(\.method.rawValue)).sorted()
    }

    private static func parts(_ path: String) -> [Substring] {
        path.unicodeScalars.split(separator: "/").map(Substring.init)
    }

    private static func matches(_ path: [Substring], _ pattern: [Substring]) -> Bool {
        if pattern.last == "**" {
            return path.count >= pattern.count && matches(Array(path.prefix(pattern.count - 1)), pattern.dropLast())
        }
        return path.count == pattern.count
            && zip(path, pattern).allSatisfy { $1 == "*" || $1.hasPrefix("{") || $0 == $1 }
    }
}

/// Answers 405 with `Allow` if the path is known and the method is not.
private struct OtherMethods<Context: RequestContext>: RouterMiddleware {
    let paths: KnownPaths

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let methods = paths.methods(of: request.uri.path)
        guard !methods.isEmpty else { return try await next(request, context) }
        throw WebError(
            .methodNotAllowed, code: "methodNotAllowed",
            message: "\(request.uri.path) accepts \(methods.joined(separator: ", ")), not \(request.method)",
            headers: [.allow: methods.joined(separator: ", ")])
    }
}

extension Router {
    /// Adds a middleware that answers a request with 405 and `Allow` if its path has a route, but not for its method.
    ///
    /// Only the routes that were added before this call count, so call it after the last route is added. A route that
    /// is added later for one of their paths would be refused, because the middleware applies to it too.
    public func refuseOtherMethods() {
        add(middleware: OtherMethods<Context>(paths: KnownPaths(routes.map { ($0.path.description, $0.method) })))
    }
}
