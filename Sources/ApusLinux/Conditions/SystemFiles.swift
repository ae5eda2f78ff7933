import PlatformC

/// The small files in which the kernel reports its state, below a root that tests can choose.
struct SystemFiles: Sendable {
    /// The largest number of bytes to read; the largest file that is needed is a routing table.
    private static let mostBytes = 1 << 20

    private let root: String

    /// Creates a reader of files below `root`; with `/`, it reads this machine's own files.
    init(root: String) { self.root = root.unicodeScalars.last == "/" ? root : root + "/" }

    /// Returns the text of the file at `path` without surrounding white space; `path` has no leading slash.
    ///
    /// Returns `nil` if the file does not exist, cannot be read, or is not text.
    func text(_ path: String) -> String? {
        let descriptor = open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < Self.mostBytes {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            // sysfs returns an error if a device has no value, for example without a battery in the slot.
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let characters = text.drop(while: \.isWhitespace)
        guard let last = characters.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(characters[...last])
    }

    /// Returns the number in the file at `path`; `nil` if there is none.
    func number(_ path: String) -> Int? { text(path).flatMap { Int($0) } }

    /// Returns the names in the folder at `path`, sorted; none if the folder does not exist.
    func names(in path: String) -> [String] {
        guard let folder = opendir(root + path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
