import Foundation
import PlatformC

/// The names of the functions in this program, from its symbol table; empty if the program has no symbol table.
enum ProgramSymbols {
    /// Returns the demangled names of the symbols that begin with `$s` and this prefix.
    static func names(withPrefix prefix: String) -> [String] {
        guard let file = try? Data(contentsOf: URL(filePath: "/proc/self/exe"), options: .mappedIfSafe) else {
            return []
        }
        let prefix = "$s" + prefix
        return file.withUnsafeBytes { bytes -> [String] in
            guard let table = stringTable(of: bytes), let start = bytes.baseAddress else { return [] }
            var names: [String] = []
            var place = table.lowerBound
            while place < table.upperBound {
                let text = start.advanced(by: place).assumingMemoryBound(to: CChar.self)
                let length = strnlen(text, table.upperBound - place)
                if length > prefix.utf8.count, strncmp(text, prefix, prefix.utf8.count) == 0 {
                    names += [demangled(text, length)].compactMap(\.self)
                }
                place += length + 1
            }
            return names
        }
    }

    /// Returns the range of the string table with the names of the symbols; `nil` if there is none.
    ///
    /// Rule: elf(5).
    private static func stringTable(of bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        func read<Number: FixedWidthInteger>(_ type: Number.Type, _ place: Int) -> Int {
            place + MemoryLayout<Number>.size <= bytes.count
                ? Int(truncatingIfNeeded: bytes.loadUnaligned(fromByteOffset: place, as: type)) : 0
        }
        guard bytes.count > 64, bytes.starts(with: [0x7f, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F"), 2])
        else { return nil }
        let (sections, size, count) = (read(UInt64.self, 0x28), read(UInt16.self, 0x3a), read(UInt16.self, 0x3c))
        let symbols = 2
        for section in (0..<count).map({ sections + $0 * size }) where read(UInt32.self, section + 4) == symbols {
            let strings = sections + read(UInt32.self, section + 0x28) * size
            let start = read(UInt64.self, strings + 0x18)
            let end = start + read(UInt64.self, strings + 0x20)
            return end <= bytes.count ? start..<end : nil
        }
        return nil
    }

    private typealias Demangle =
        @convention(c) (
            UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
        ) -> UnsafeMutablePointer<CChar>?

    /// The demangling function of Swift's runtime, which Swift itself does not declare.
    private static let demangle = dlsym(nil, "swift_demangle").map { unsafeBitCast($0, to: Demangle.self) }

    private static func demangled(_ text: UnsafePointer<CChar>, _ length: Int) -> String? {
        guard let result = demangle?(text, length, nil, nil, 0) else { return nil }
        defer { free(result) }
        return String(cString: result)
    }
}
