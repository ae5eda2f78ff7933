import Foundation

/// The servers, each started when the first nemesis needs it.
final class Servers {
    private let files: WorkFolder
    private var common: Server?

    init(_ files: WorkFolder) { self.files = files }

    func setup(for nemesis: Nemesis) async throws -> Cluster.Setup {
        switch nemesis {
        case .full: return Cluster.Setup(servers: [try smallServer()])
        case .promote:
            return Cluster.Setup(servers: try await serverWithStandby(isSynchronous: true), isSynchronous: true)
        case .lag: return Cluster.Setup(servers: try await serverWithStandby(isSynchronous: false))
        case .clocks: return Cluster.Setup(shifts: [-3_600, 0, 3_600], servers: [try commonServer()])
        case .cut: return Cluster.Setup(hasProxies: true, servers: [try commonServer()])
        case .kill, .stop, .pause, .terminate, .crash, .snapshot, .upgrade:
            return Cluster.Setup(servers: [try commonServer()])
        }
    }

    private func commonServer() throws -> Server {
        if let common { return common }
        let server = try Server("main", in: files)
        try server.initialize()
        try server.start()
        common = server
        return server
    }

    /// On a small file system of its own.
    private func smallServer() throws -> Server {
        let path = "\(files.path)/small"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Shell.run(["mount", "-t", "tmpfs", "-o", "size=200m", "tmpfs", path])
        let server = try Server("small", in: files)
        try server.initialize()
        try server.start()
        return server
    }

    private func serverWithStandby(isSynchronous: Bool) async throws -> [Server] {
        let name = isSynchronous ? "sync" : "async"
        let (primary, standby) = (try Server("\(name)-1", in: files), try Server("\(name)-2", in: files))
        try primary.initialize()
        try primary.start()
        try await standby.follow(primary)
        if isSynchronous { try await primary.requireStandby() }
        return [primary, standby]
    }
}
