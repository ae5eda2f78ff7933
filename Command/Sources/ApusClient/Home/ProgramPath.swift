#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The programs that are installed together.
package enum ProgramPath {
    /// The program of that name in the folder of this process's own program.
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
