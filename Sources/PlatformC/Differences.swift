// What the C libraries do not agree on.

/// The type of a socket whose bytes arrive in order.
package let streamSocket: Int32 = {
    #if canImport(Glibc)
        Int32(SOCK_STREAM.rawValue)
    #else
        SOCK_STREAM
    #endif
}()

/// The type of a socket whose messages arrive one by one.
package let datagramSocket: Int32 = {
    #if canImport(Glibc)
        Int32(SOCK_DGRAM.rawValue)
    #else
        SOCK_DGRAM
    #endif
}()

#if canImport(Darwin)
    /// Flags of `send` and `sendto`. A socket of `unixSocket` raises no SIGPIPE anyway.
    package let sendingFlags: Int32 = 0
#else
    /// Flags of `send` and `sendto`: a connection whose other end is closed raises no SIGPIPE.
    package let sendingFlags = Int32(MSG_NOSIGNAL)
#endif

/// A new Unix socket that programs started later do not inherit; negative, with `errno`, if there is none.
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
    /// When the contents were changed.
    package var modified: timespec {
        #if canImport(Darwin)
            st_mtimespec
        #else
            st_mtim
        #endif
    }

    /// When the contents, the owner or the rights were changed.
    package var changed: timespec {
        #if canImport(Darwin)
            st_ctimespec
        #else
            st_ctim
        #endif
    }
}

extension timespec {
    /// The whole of it in nanoseconds.
    package var nanoseconds: Int64 { Int64(tv_sec) * 1_000_000_000 + Int64(tv_nsec) }
}
