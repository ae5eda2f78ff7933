import Foundation

/// A process of the tutorial's program.
struct ReminderProcess {
    private let process = Process()
    private let output = Pipe()

    init(delay: Int, in folder: URL) throws {
        let program = try CommandHelp.program("TutorialReminder")
        // The program's output is a pipe, into which `print` would write only at the end.
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["stdbuf", "-oL", program.path, "\(delay)"]
        process.currentDirectoryURL = folder
        process.standardOutput = output
        try process.run()
    }

    /// Returns the next line of the output; `nil` at the end.
    func nextLine() -> String? {
        var line: [UInt8] = []
        while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// Kills the process with SIGKILL, and returns the rest of its output.
    func killed() -> String {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// Waits for the end of the process, and returns its exit status.
    func exitStatus() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}
