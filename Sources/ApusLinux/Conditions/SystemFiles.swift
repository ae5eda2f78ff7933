import PlatformC

/// The small files in which the kernel reports its state, below a root that tests can choose.
struct SystemFiles: Sendable {
    /// More is not what was looked for. The largest is a routing table.
    private static let mostBytes = 1 << 20

    private let root: String

    /// Files below `root`; `/` is this machine's.
    init(root: String) { self.root = root.unicodeScalars.last == "/" ? root : root + "/" }

    /// The text of the file at `path` (without a leading slash), without spaces and line ends at its ends; `nil` when
    /// there is none, it cannot be read, or it is not text.
    func text(_ path: String) -> String? {
        let descriptor = open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < Self.mostBytes {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            // sysfs answers with an error where a device does not know: no battery in the slot, say.
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let characters = text.drop(while: \.isWhitespace)
        guard let last = characters.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(characters[...last])
    }

    /// The number in the file at `path`; `nil` also when it is something else.
    func number(_ path: String) -> Int? { text(path).flatMap { Int($0) } }

    /// The names in the folder at `path`, sorted; none when there is no such folder.
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
