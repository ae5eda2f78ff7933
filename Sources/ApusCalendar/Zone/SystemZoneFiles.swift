import PlatformC

/// The files of this machine.
public struct SystemZoneFiles: ZoneFiles {
    private static let largestFile = 1 << 20

    /// Creates the access.
    public init() {}

    /// The identity of a regular file.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The identity, or nil if there is no such file.
    public func identity(of path: String) -> ZoneFileIdentity? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return ZoneFileIdentity(
            inode: UInt64(status.st_ino), size: Int64(status.st_size),
            modified: status.modified.nanoseconds)
    }

    /// The contents of a file.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The bytes, or nil if it cannot be read or is larger than one megabyte.
    public func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = buffer.withUnsafeMutableBytes { systemRead(descriptor, $0) }
            if count == 0 { return result }
            guard count > 0, result.count + count <= Self.largestFile else { return nil }
            result.append(contentsOf: buffer[..<count])
        }
    }
}

/// `read(2)`, again after a signal. Outside the type, whose own `read` would hide the function.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        if count >= 0 || errno != EINTR { return count }
    }
}
