import ApusClient
import Foundation
import Testing

/// The packaged unit is below `XDG_DATA_HOME`; systemd finds it there like the unit of a Debian package below /usr/lib.
@Suite("A packaged systemd unit", .timeLimit(.minutes(10)))
struct PackagedUnitTests {
    private struct Check: Decodable {
        var check: String
        var status: String
        var text: String
    }

    private struct Examination: Decodable {
        var ok: Bool
        var checks: [Check]
    }

    private struct Installed: Decodable {
        var path: String?
        var written: Bool
        var overrides: String?
    }

    /// The program's path as the command reports it.
    private static let program = URL(filePath: ApusUnderTest.program).resolvingSymlinksInPath().path

    /// The folders of a user with the default home, and a systemctl for which no unit is enabled.
    private struct User {
        let apus: ApusUnderTest
        let environment: [String: String]
        let packagedPath: String
        let ownPath: String

        init(_ apus: ApusUnderTest) async throws {
            self.apus = apus
            try apus.home.prepare()
            let folder = apus.home.path
            packagedPath = folder + "/share/systemd/user/apus.service"
            ownPath = folder + "/config/systemd/user/apus.service"
            try await ApusUnderTest.writeProgram("#!/bin/sh\nexit 1\n", to: folder + "/systemctl")
            environment = [
                "APUS_HOME": "", "HOME": folder, "XDG_STATE_HOME": folder + "/state", "XDG_RUNTIME_DIR": "",
                "XDG_CONFIG_HOME": folder + "/config", "XDG_DATA_HOME": folder + "/share",
                "PATH": folder + ":" + (apus.environment["PATH"] ?? ""),
            ]
        }

        /// Adds a package with a unit for `program`.
        func addPackage(for program: String = PackagedUnitTests.program) async throws {
            // The unit has no variable of this shell, like a unit that Scripts/install has made.
            let unit = try ServiceUnit(
                executable: program,
                environment: [
                    ("XDG_STATE_HOME", apus.home.path + "/state"), ("XDG_CONFIG_HOME", apus.home.path + "/config"),
                ]
            ).text()
            try Self.write(unit, to: packagedPath)
        }

        static func write(_ text: String, to path: String) throws {
            let folder = URL(filePath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }

        /// Returns the doctor's report on the unit, as text and as JSON.
        func examined() async throws -> (text: String, json: Check?) {
            let text = try await apus.call(["doctor"], environment: environment).out
            let answer = try await apus.call(["doctor", "--json"], environment: environment)
            let checks = try JSONDecoder().decode(Examination.self, from: Data(answer.out.utf8)).checks
            return (text, checks.first { $0.check == "unit" })
        }

        func install(_ options: String...) async throws -> ApusUnderTest.Answer {
            try await apus.call(["install"] + options, environment: environment)
        }
    }

    @Test("the doctor advises to enable a packaged unit of this program")
    func sameProgram() async throws {
        try await ApusUnderTest.with { apus in
            let user = try await User(apus)
            try await user.addPackage()
            let (text, unit) = try await user.examined()
            let advice =
                "\(user.packagedPath) is not enabled, so nothing starts the daemon at login or with the machine: use systemctl --user enable --now apus"
            #expect(unit?.status == "note" && unit?.text == advice, "\(String(describing: unit))")
            #expect(text.contains(advice))
        }
    }

    @Test("the doctor names the program of a packaged unit for another one, and advises either unit")
    func otherProgram() async throws {
        try await ApusUnderTest.with { apus in
            let user = try await User(apus)
            try await user.addPackage(for: "/opt/other/apus")
            let unit = try #require(try await user.examined().json)
            #expect(
                unit.text.contains("\(user.packagedPath) is not enabled, and starts /opt/other/apus: use systemctl"))
            #expect(unit.text.hasSuffix("or apus install for a unit that starts \(Self.program)"), "\(unit)")
        }
    }

    @Test("the doctor examines the user's own unit before a packaged one")
    func ownUnit() async throws {
        try await ApusUnderTest.with { apus in
            let user = try await User(apus)
            try await user.addPackage(for: "/opt/other/apus")
            #expect(try await user.install().code == 0)
            let unit = try #require(try await user.examined().json)
            #expect(unit.text.hasPrefix("\(user.ownPath) is not enabled, so nothing starts"), "\(unit)")
            // The user's own unit is masked, as by `systemctl --user mask`.
            try FileManager.default.removeItem(atPath: user.ownPath)
            try FileManager.default.createSymbolicLink(atPath: user.ownPath, withDestinationPath: "/dev/null")
            let masked = try #require(try await user.examined().json)
            #expect(
                masked.text.hasPrefix("\(user.ownPath) masks the unit: use systemctl --user unmask apus"), "\(masked)")
        }
    }

    @Test("apus install does not write a copy of an equal packaged unit")
    func sameUnit() async throws {
        try await ApusUnderTest.with { apus in
            let user = try await User(apus)
            try await user.addPackage()
            let answer = try await user.install()
            #expect(
                answer.code == 0 && answer.out.hasPrefix("\(user.packagedPath) is the same unit; nothing was written\n")
            )
            #expect(answer.out.contains("systemctl --user enable --now apus"), "\(answer)")
            #expect(!FileManager.default.fileExists(atPath: user.ownPath))
            let report = try JSONDecoder().decode(Installed.self, from: Data(try await user.install("--json").out.utf8))
            #expect(report.path == user.packagedPath && !report.written && report.overrides == nil)
        }
    }

    @Test("apus install names the packaged unit over which the written one takes precedence")
    func overridden() async throws {
        try await ApusUnderTest.with { apus in
            let user = try await User(apus)
            try await user.addPackage(for: "/opt/other/apus")
            let answer = try await user.install()
            let lines = answer.out.split(separator: "\n").map(String.init)
            #expect(lines.first == "wrote \(user.ownPath)", "\(answer)")
            #expect(
                lines.dropFirst().first
                    == "it takes precedence over \(user.packagedPath), which is used again once you remove it")
            let report = try JSONDecoder().decode(Installed.self, from: Data(try await user.install("--json").out.utf8))
            #expect(report.path == user.ownPath && report.written && report.overrides == user.packagedPath)
        }
    }
}
