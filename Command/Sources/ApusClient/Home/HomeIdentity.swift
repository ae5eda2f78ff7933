package import PlatformC

/// The folder that a home is, whatever path leads to it: a copy of a home, or a new folder at the path of a removed one, is
/// another home.
package struct HomeIdentity: Hashable, Sendable, CustomStringConvertible {
    /// The header with which a request says whose daemon it is meant for.
    package static let header = "Apus-Home"

    private let device: UInt64
    private let inode: UInt64

    package init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// The home at that path; `nil` if nothing can be found there.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Unique among the folders of this machine, as the name of a file and as the value of ``header``.
    package var description: String { String(device, radix: 16) + "-" + String(inode, radix: 16) }
}
