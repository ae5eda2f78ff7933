public import Hummingbird

extension RequestContext {
    /// A parameter of the route's path, percent-decoded. Routes are matched before that, so an encoded slash (`%2F`) is
    /// part of the parameter.
    /// - Parameter name: the parameter's name in the route, without the colon.
    /// - Returns: the text that it stands for.
    /// - Throws: ``WebError`` with 400 `invalid` if it is not percent-encoded UTF-8.
    public func pathParameter(_ name: String) throws -> String {
        let raw = try parameters.require(name)
        guard let text = PercentCoding.decode(raw) else {
            throw WebError(
                .badRequest, code: "invalid",
                message: "\(name): \"\(raw)\" is not percent-encoded UTF-8, such as my%20backup")
        }
        return text
    }
}
