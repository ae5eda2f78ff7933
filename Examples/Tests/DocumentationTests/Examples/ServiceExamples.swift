import ApusLinux
import ApusServiceLifecycle
import Logging
import ServiceLifecycle
import UnixSignals

/// The example in docs/background.md of a host in a service group.
enum ServiceExamples {
    static func serve(server: any Service, logger: Logger) async throws {
        // Shown: service-group
        let host = LinuxHost()
        let group = ServiceGroup(
            services: [server, LinuxHostService(host)],  // the host last
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger)
        try await group.run()  // throws WorkWasCut when the grace period was too short
        // Shown: end
    }
}
