import ApusClient
import Foundation
import Subprocess
import Testing

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

@Suite("Programs of commands", .timeLimit(.minutes(10)))
struct ProgramTests {
    @Test("a text file without #! is run by /bin/sh with its arguments, and a binary file is not")
    func scripts() async throws {
        try await ApusUnderTest.with { apus in
            try apus.home.prepare()
            let (script, binary) = (apus.home.path + "/script", apus.home.path + "/binary")
            try await ApusUnderTest.writeProgram("echo \"$0 $2\"\n", to: script)
            _ = try await Subprocess.run(
                .name("sh"), arguments: ["-c", #"head -c 64 /dev/zero >"$1" && chmod 700 "$1""#, "sh", binary],
                output: .discarded, error: .discarded)
            _ = try await apus("after", "10ms", "--name", "script", "--", script, "one", "two words")
            #expect(try await apus("wait", "script").code == 0)
            #expect(try await apus("logs", "script").out == "\(script) two words\n")
            _ = try await apus("after", "10ms", "--name", "binary", "--", binary)
            #expect(try await apus("wait", "binary").code == 127)
        }
    }

    @Test("a folder is refused as a program, and a missing working directory is named")
    func foldersAndPrograms() async throws {
        try await ApusUnderTest.with { apus in
            try apus.home.prepare()
            let folder = try await apus("after", "1h", "--", apus.home.path)
            #expect(folder.code == 64 && folder.err.contains("is a folder; name a program in it"), "\(folder)")
            let line = "mkdir gone && cd gone && rmdir ../gone && \(ApusUnderTest.program) after 1h -- true"
            let ended = try await Subprocess.run(
                .path("/bin/sh"), arguments: ["-c", line], environment: apus.subprocessEnvironment,
                workingDirectory: FilePath(apus.home.path), output: .discarded, error: .string(limit: 65_536))
            #expect(
                ended.standardError.contains("the working directory cannot be used (No such file or directory)"),
                "\(ended)")
        }
    }
}
