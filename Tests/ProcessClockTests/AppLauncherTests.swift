#if os(Linux)
    import ApusVirtualTime
    import Foundation
    import PlatformC
    import Testing

    @testable import SimulatedAppleCore

    /// The suite is on the main actor, as the tests of apps are, because all of them share the last launcher.
    @MainActor
    @Suite("The launcher of simulated apps")
    struct AppLauncherTests {
        /// A descriptor of a run loop or of Dispatch would be shared by all the processes that are forked, which would
        /// take each other's wakes; a thread would be missing in them.
        @Test(
            "processes are forked from one that has a single thread, and no descriptors but its outputs and its socket")
        func resources() throws {
            let environment = ProcessInfo.processInfo.environment.merging(["APUS_LAUNCHER_TEST": "1"]) { $1 }
            let launcher = try AppLauncher.current(environment)
            // It answers when it has forked once and is about to wait for the next request. The process finds the end of its
            // input where a device would be, and ends before it runs anything of a program.
            let noDevice = open("/dev/null", O_RDONLY | O_CLOEXEC)
            defer { close(noDevice) }
            let app = try launcher.start(offset: 1, variables: [:], standardInput: noDevice, output: 1)
            #expect(launcher.wait(for: app) == 0)

            let folder = "/proc/\(launcher.process)"
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd")
            #expect(descriptors.compactMap { Int($0) }.sorted() == [0, 1, 2, 3])
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/task").count == 1)
        }
    }
#endif
