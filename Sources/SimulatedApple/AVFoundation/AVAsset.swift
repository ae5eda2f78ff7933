/// Something that can be played: ``AVURLAsset``. From any thread.
open class AVAsset: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: nothing changes after `init`.

    fileprivate override init() { super.init() }
}

/// Something at a URL that can be played.
open class AVURLAsset: AVAsset, @unchecked Sendable {  // nothing changes after `init`
    /// Where it is.
    public let url: URL

    /// What is at a URL. Options have no effect here.
    public init(url URL: URL, options: [String: Any]? = nil) {
        url = URL
        super.init()
    }
}
