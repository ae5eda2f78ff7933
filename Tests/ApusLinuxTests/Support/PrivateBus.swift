import Foundation
import Testing

/// A session bus for a single test, which starts no services by itself, whatever services this machine has installed.
final class PrivateBus: Sendable {
    private let daemon: Program
    private let folder: URL
    /// The address on which the bus listens.
    let address: String

    /// An empty settings file for programs that need one.
    var emptyFile: URL { folder.appending(path: "empty") }

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "apus-bus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data().write(to: folder.appending(path: "empty"))
        let settings = folder.appending(path: "bus.conf")
        let text = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>unix:dir=\(folder.path)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
              </policy>
            </busconfig>

            """
        try Data(text.utf8).write(to: settings)
        daemon = try Program(
            ["dbus-daemon", "--config-file=\(settings.path)", "--nofork", "--nopidfile", "--print-address=1"])
        let address = try #require(await daemon.line(), "dbus-daemon does not start; Scripts/bootstrap installs it")
        self.address = try #require(address.split(separator: ",").first.map(String.init))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}
