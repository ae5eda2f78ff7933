import CApus

/// Who is at the other end of a Unix socket, as the kernel says.
public struct PeerCredentials: Sendable, Hashable {
    /// The user that connected.
    public var userID: UInt32
    /// The process that connected; 0 where the system does not tell.
    public var processID: Int32

    /// Asks the kernel about a connected Unix socket.
    ///
    /// - Parameter socket: The descriptor.
    /// - Throws: ``PeerError`` when it is not a connected Unix socket.
    public init(ofSocket socket: Int32) throws(PeerError) {
        var uid: uid_t = 0
        var pid: pid_t = 0
        let result = capus_peer_uid(socket, &uid, &pid)
        guard result == 0 else { throw PeerError(errno: -result) }
        userID = uid
        processID = pid
    }
}

/// The kernel does not know the other end of a socket.
public struct PeerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system's error number.
    public var errno: Int32

    /// What happened.
    public var description: String { "the other end of the socket is unknown (errno \(errno)); is it a Unix socket?" }
}
