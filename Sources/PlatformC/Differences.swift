// Differences between the C libraries.

/// The type of a stream socket, whose bytes arrive in order.
package let streamSocket: Int32 = {
    #if canImport(Glibc)
        Int32(SOCK_STREAM.rawValue)
    #else
        SOCK_STREAM
    #endif
}()

/// The type of a datagram socket, which keeps the boundaries of messages.
package let datagramSocket: Int32 = {
    #if canImport(Glibc)
        Int32(SOCK_DGRAM.rawValue)
    #else
        SOCK_DGRAM
    #endif
}()

#if canImport(Darwin)
    /// The flags for `send` and `sendto`.
    ///
    /// Darwin needs no flags, because a socket of `unixSocket(_:)` has the option `SO_NOSIGPIPE`.
    package let sendingFlags: Int32 = 0
#else
    /// The flags for `send` and `sendto`, with which a write to a closed connection raises no SIGPIPE.
    package let sendingFlags = Int32(MSG_NOSIGNAL)
#endif

/// Opens a Unix socket that programs started later do not inherit.
///
/// - Returns: the descriptor; a negative number, with `errno` set, on failure.
package func unixSocket(_ type: Int32) -> Int32 {
    #if canImport(Darwin)
        let descriptor = socket(AF_UNIX, type, 0)
        if descriptor >= 0 {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        return descriptor
    #elseif canImport(Glibc)
        return socket(AF_UNIX, type | Int32(SOCK_CLOEXEC.rawValue), 0)
    #else
        return socket(AF_UNIX, type | SOCK_CLOEXEC, 0)
    #endif
}

extension stat {
    /// The time of the last change of the contents (`mtime`).
    package var modified: timespec {
        #if canImport(Darwin)
            st_mtimespec
        #else
            st_mtim
        #endif
    }

    /// The time of the last change of the contents, the owner or the permissions (`ctime`).
    package var changed: timespec {
        #if canImport(Darwin)
            st_ctimespec
        #else
            st_ctim
        #endif
    }
}

extension timespec {
    /// The seconds and the nanoseconds together, in nanoseconds.
    package var nanoseconds: Int64 { Int64(tv_sec) * 1_000_000_000 + Int64(tv_nsec) }
}
