import ApusTimers

/// Connections that have had their answers, for the next requests of this process. The daemon may have closed them.
enum KeptConnections {
    private static let kept = Locked<[String: (file: DaemonSocket.File, connections: [SocketConnection])]>([:])

    /// A connection to the socket that this file is, that was open a moment ago.
    static func take(at path: String, _ file: DaemonSocket.File) -> SocketConnection? {
        kept.withLock { kept in
            guard kept[path]?.file == file else {
                kept[path] = nil
                return nil
            }
            while let connection = kept[path]?.connections.popLast() {
                if !connection.isStale { return connection }
            }
            return nil
        }
    }

    static func keep(_ connection: SocketConnection, at path: String, _ file: DaemonSocket.File) {
        kept.withLock { kept in
            if kept[path]?.file != file { kept[path] = (file, []) }
            kept[path]?.connections.append(connection)
        }
    }
}
