import PlatformC

/// The process at the other end of a connection on a Unix socket, as the kernel noted when it was made or listened at.
package enum PeerCredentials {
    #if os(Linux)
        /// `struct ucred` of unix(7), which Glibc's module does not export.
        package struct Credentials: Sendable {
            package var process: Int32 = 0
            package var user: UInt32 = .max
            package var group: UInt32 = .max
        }
    #endif

    /// The effective user of the process at the other end; `nil` if the kernel does not say, with its reason in `errno`.
    static func user(of descriptor: Int32) -> uid_t? {
        #if os(Linux)
            var credentials = Credentials()
            var length = socklen_t(MemoryLayout<Credentials>.size)
            guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
            return credentials.user
        #else
            var user = uid_t()
            var group = gid_t()
            return getpeereid(descriptor, &user, &group) == 0 ? user : nil
        #endif
    }
}
