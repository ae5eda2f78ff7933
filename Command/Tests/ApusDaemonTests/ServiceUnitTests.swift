import ApusClient
import Foundation
import Testing

@Suite("The systemd unit")
struct ServiceUnitTests {
    private func line(_ name: String, of unit: ServiceUnit) throws -> String? {
        try unit.text().split(separator: "\n").first { $0.hasPrefix(name + "=") }.map(String.init)
    }

    @Test(
        "special characters of a path are escaped as systemd reads them",
        arguments: [
            ("/usr/bin/apus", #""/usr/bin/apus""#),
            ("/opt/my tools/apus", #""/opt/my tools/apus""#),
            ("/opt/100%/apus", #""/opt/100%%/apus""#),
            ("/opt/é;#/apus", #""/opt/é;#/apus""#),
            (#"/opt/$HOME/apus"#, #"/usr/bin/env "/opt/$$HOME/apus""#),
            (#"/opt/a"b\c'd %$/apus"#, #"/usr/bin/env "/opt/a\"b\\c'd %%$$/apus""#),
        ])
    func executable(path: String, expected: String) throws {
        #expect(try line("ExecStart", of: ServiceUnit(executable: path)) == "ExecStart=\(expected) serve --take-over")
    }

    @Test(
        "the program of a unit's file is read back, whatever its path is",
        arguments: ["/usr/bin/apus", "/opt/my tools/100%/apus", #"/opt/a"b\c'd %$/apus"#])
    func readBack(path: String) throws {
        #expect(ServiceUnit.executable(in: try ServiceUnit(executable: path).text()) == path)
    }

    @Test(
        "the program of a unit that a distribution has changed is read",
        arguments: [
            ("ExecStart=/usr/bin/apus serve", "/usr/bin/apus"), ("ExecStart=-!/usr/bin/apus", "/usr/bin/apus"),
            ("ExecStart=/bin/old\nExecStart=\nExecStart='/opt/a b/apus' serve", "/opt/a b/apus"),
            ("ExecStart=apus serve", nil), ("ExecStart=", nil), ("# ExecStart=/usr/bin/apus", nil), ("", nil),
        ])
    func readForeign(text: String, program: String?) {
        #expect(ServiceUnit.executable(in: text) == program)
    }

    @Test("a variable's dollars stay, because systemd replaces none there")
    func environment() throws {
        let unit = ServiceUnit(executable: "/apus", environment: [("APUS_HOME", #"/a "b"\c%d$e"#)])
        #expect(try line("Environment", of: unit) == #"Environment="APUS_HOME=/a \"b\"\\c%%d$e""#)
    }

    @Test("a value that a unit cannot contain is refused", arguments: ["/a\nExecStart=/bin/sh", "/a\u{7F}", "/a$b=c"])
    func refused(path: String) {
        let error = #expect(throws: DaemonError.self) { try ServiceUnit(executable: path).text() }
        #expect(error?.code == .invalid)
    }

    @Test(
        "systemd-analyze finds nothing wrong with a unit, whatever the paths are",
        arguments: ["plain", "sp ace", "per%cent", "dollar$HOME", #"quo"te'back\slash"#])
    func verified(name: String) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/apus-unit-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        let program = "\(folder)/\(name)/apus"
        try FileManager.default.copyItem(atPath: "/bin/true", toPath: program)
        let unit = ServiceUnit(executable: program, environment: [("APUS_HOME", "\(folder)/\(name)")])
        let (code, said) = try verify(try unit.text(), folder: folder)
        #expect(code == 0 && said.isEmpty, "\(said)")
        // These show that the check finds a missing program and a misspelt option.
        let missing = ServiceUnit(executable: "\(folder)/missing")
        #expect(try verify(try missing.text(), folder: folder).code != 0)
        let misspelt = try unit.text().replacing("OOMPolicy=continue", with: "OOMPolicy=go-on")
        #expect(try verify(misspelt, folder: folder).said.contains("OOM"))
    }

    private func verify(_ text: String, folder: String) throws -> (code: Int32, said: String) {
        try Data(text.utf8).write(to: URL(filePath: folder + "/apus.service"))
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["systemd-analyze", "--user", "--man=no", "verify", folder + "/apus.service"]
        // systemd-analyze needs a folder for its manager, and must not find the machine's own units.
        process.environment = ProcessInfo.processInfo.environment.merging([
            "XDG_RUNTIME_DIR": folder, "SYSTEMD_UNIT_PATH": folder + ":/usr/lib/systemd/user",
        ]) { _, new in new }
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, said)
    }
}
