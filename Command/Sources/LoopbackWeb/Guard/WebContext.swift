public import Hummingbird
public import NIOCore

/// Who sent a request that was let in.
public enum Caller: Hashable, Sendable {
    /// A page in a browser: the request came with the cookie, or with any `Origin` header.
    case browser
    /// Anything else: `curl`, a program, the command.
    case script
}

/// What a handler knows of a request beside its head.
public protocol WebContext: RequestContext {
    /// The connection that the request came on.
    var channel: any Channel { get }
    /// Who sent it; `nil` until a guard has let it in.
    var caller: Caller? { get set }
}

/// A context without anything of its own.
public struct WebRequestContext: WebContext {
    /// What the router keeps.
    public var coreContext: CoreRequestContextStorage
    /// The connection that the request came on.
    public let channel: any Channel
    /// Who sent the request; `nil` until a guard has let it in.
    public var caller: Caller?
    /// The most bytes that a handler may collect of a body: 64 KiB.
    public var maxUploadSize: Int { 64 * 1024 }

    /// The context of a request.
    public init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}
