import ArgumentParser
import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file that a command reads, which may be a pipe.
struct InputFile {
    private let path: String
    private let argument: String

    /// Creates the file of an argument, without opening it.
    ///
    /// - Parameters:
    ///   - path: the path of the file, or `-` for standard input.
    ///   - argument: the name of the argument in an error.
    init(_ path: String, argument: String = "file") {
        self.path = path
        self.argument = argument
    }

    /// Reads the file.
    ///
    /// - Parameters:
    ///   - limit: The largest size that is accepted, in bytes.
    ///   - waitsForWriter: Whether to wait until a program writes to a named pipe. If `false`, a pipe to which no
    ///     program writes is refused.
    /// - Returns: The contents.
    /// - Throws: `ValidationError` that names the argument, the file and the reason.
    func contents(upTo limit: Int = .max, waitsForWriter: Bool = true) throws -> Data {
        guard !path.isEmpty else { throw ValidationError("\(argument): the path is empty") }
        let file = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | (waitsForWriter ? 0 : O_NONBLOCK))
        guard file >= 0 else { throw failure(errno) }
        defer { if path != "-" { close(file) } }
        var contents = Data()
        var piece = [UInt8](repeating: 0, count: 65_536)
        if path != "-", !waitsForWriter {
            // If no program has opened the pipe for writing, read(2) returns 0 bytes immediately. Otherwise it returns
            // the bytes that are there, or fails because it would block.
            var status = stat()
            let isPipe = fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
            let count = isPipe ? read(file, &piece, piece.count) : 0
            guard !isPipe || count != 0 else {
                throw ValidationError("\(argument): \(path) is a pipe to which no program writes")
            }
            contents += piece[..<max(count, 0)]
            _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK)
        }
        while true {
            let count = read(file, &piece, piece.count)
            if count == 0 { return contents }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(errno) }
            contents += piece[..<count]
            guard contents.count <= limit else {
                throw ValidationError("\(argument): \(path) is longer than \(limit) bytes")
            }
        }
    }

    private func failure(_ error: Int32) -> ValidationError {
        ValidationError("\(argument): \(path) cannot be read (\(String(cString: strerror(error))))")
    }
}
