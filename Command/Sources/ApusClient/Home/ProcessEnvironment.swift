import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The arguments, variables and working directory of a process, none of which need to be UTF-8.
///
/// A `String` contains only UTF-8. Foundation replaces all other bytes, and the text then names another file. A value
/// that is not UTF-8 is therefore refused with an error that names it, or left out if it is not used.
package struct ProcessEnvironment: Sendable {
    /// The variables whose values are UTF-8.
    package private(set) var variables: [String: String] = [:]
    /// The variables whose values are not UTF-8, with the bytes of the values in a printable form.
    private var unreadable: [String: String] = [:]

    /// The variable with the token of a run, in the environment of its command and of the processes that the command
    /// starts.
    package static let run = "APUS_RUN"
    /// The variable with the address to which a service of systemd sends its notifications (sd_notify(3)).
    package static let notifySocket = "NOTIFY_SOCKET"

    /// The environment of this process, read at the first use.
    package static let current = ProcessEnvironment(bytes: currentBytes)

    /// Creates an environment from its entries.
    ///
    /// - Parameter bytes: entries as in environ(7), `NAME=VALUE`.
    init(bytes: [[UInt8]]) {
        for entry in bytes {
            let parts = entry.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = String(validating: parts[0], as: UTF8.self) else { continue }
            if let value = String(validating: parts[1], as: UTF8.self) {
                variables[name] = value
            } else {
                unreadable[name] = Self.printable(parts[1])
            }
        }
    }

    /// Checks that the variables that are used are UTF-8.
    ///
    /// - Throws: ``DaemonError`` with `invalid`, which names the variable.
    package func check(where isUsed: (String) -> Bool) throws(DaemonError) {
        for (name, value) in unreadable.sorted(by: { $0.key < $1.key }) where isUsed(name) {
            throw DaemonError(
                .invalid, "\(name) in the environment is not UTF-8 (\(value)): set it to a text in UTF-8, or unset it")
        }
    }

    /// Checks that arguments are UTF-8.
    ///
    /// - Parameter arguments: the arguments after the program's name.
    /// - Throws: ``DaemonError`` with `invalid`, whose message contains the position of the argument.
    package static func check(arguments: [[UInt8]]) throws(DaemonError) {
        for (index, argument) in arguments.enumerated() where String(validating: argument, as: UTF8.self) == nil {
            throw DaemonError(
                .invalid,
                "argument \(index + 1) is not UTF-8 (\(printable(argument[...]))): give names and texts in UTF-8; "
                    + #"a line with --shell can make such bytes itself, as in "$(printf '\377')""#)
        }
    }

    /// The arguments of this process after the program's name.
    package static var arguments: [[UInt8]] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0].map(bytes) }
    }

    /// Returns the path of the folder from which relative paths start.
    ///
    /// - Throws: ``DaemonError`` with `invalid` if the path is not UTF-8, or the folder cannot be used.
    package static func workingDirectory() throws(DaemonError) -> String {
        guard let path = getcwd(nil, 0) else {
            throw DaemonError(
                .invalid,
                "the working directory cannot be used (\(String(cString: strerror(errno)))): change to another one")
        }
        defer { free(path) }
        guard let text = String(validatingCString: path) else {
            throw DaemonError(
                .invalid,
                "the working directory is not UTF-8 (\(printable(bytes(path)[...]))): change to another one, or rename it"
            )
        }
        return text
    }

    private static var currentBytes: [[UInt8]] {
        var entries: [[UInt8]] = []
        var next = environ
        while let entry = next.pointee {
            entries.append(bytes(entry))
            next += 1
        }
        return entries
    }

    private static func bytes(_ text: UnsafeMutablePointer<CChar>) -> [UInt8] {
        UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) }
    }

    /// Returns the bytes in quotes; each byte that is not printable ASCII has the form `\xFF`.
    private static func printable(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.reduce(into: "\"") { text, byte in
            if (0x20...0x7E).contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += #"\x"# + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        } + "\""
    }
}

/// The paths of the programs that are installed together.
package enum ProgramPath {
    /// Returns the path of a program in the folder of this process's own program.
    package static func of(_ name: String) -> String {
        let own = current()
        guard let slash = own.unicodeScalars.lastIndex(of: "/") else { return name }
        return String(own.unicodeScalars[...slash]) + name
    }

    private static func current() -> String {
        #if os(Linux)
            return (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
                ?? CommandLine.arguments[0]
        #else
            return Bundle.main.executablePath ?? CommandLine.arguments[0]
        #endif
    }
}
