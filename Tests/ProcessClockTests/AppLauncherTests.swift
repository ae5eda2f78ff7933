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
        /// Tests that the launcher has no descriptor that its processes must not share, and no second thread.
        ///
        /// If the launcher had a descriptor of a run loop or of Dispatch, its processes would take each other's wakes.
        /// If it had a second thread, its processes would lack that thread.
        @Test(
            "processes are forked from one that has a single thread, and no descriptors but its outputs and its socket")
        func resources() throws {
            let environment = ProcessInfo.processInfo.environment.merging(["APUS_LAUNCHER_TEST": "1"]) { $1 }
            let launcher = try AppLauncher.current(environment)
            // The launcher answers after it has forked once, just before it waits for the next request. The forked
            // process reads the end of its input in place of a device, and ends before it runs any code of a program.
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
