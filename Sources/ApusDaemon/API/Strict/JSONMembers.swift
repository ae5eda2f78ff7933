#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Walks through JSON that is known to be well-formed, and finds members of one object with one name. Decoders take one of
/// them in silence, and another program that reads the same document may take the other one.
struct JSONMembers {
    private var bytes: ArraySlice<UInt8>

    init(_ data: Data) { bytes = Array(data)[...] }

    /// The path of the first member that its object has already; `nil` if there is none.
    mutating func firstRepeated() -> String? {
        var names: [Set<String>] = []
        var path: [String] = []
        // Whether the next text in the innermost container is a member's name.
        var expectsName: [Bool] = []
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                names.append([])
                path.append("")
                expectsName.append(byte == UInt8(ascii: "{"))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                names.removeLast()
                path.removeLast()
                expectsName.removeLast()
            case UInt8(ascii: ","):
                // An array has no names, ever: only an object's set is filled.
                if let last = expectsName.indices.last { expectsName[last] = !names[last].isEmpty }
            case UInt8(ascii: "\""):
                let text = takeText()
                guard expectsName.last == true else { break }
                expectsName[expectsName.count - 1] = false
                path[path.count - 1] = text
                if !names[names.count - 1].insert(text).inserted {
                    return path.filter { !$0.isEmpty }.joined(separator: ".")
                }
            default:
                break
            }
        }
        return nil
    }

    /// The text whose first quotation mark was just read.
    private mutating func takeText() -> String {
        var raw: [UInt8] = []
        var hasEscapes = false
        while let byte = bytes.popFirst(), byte != UInt8(ascii: "\"") {
            raw.append(byte)
            guard byte == UInt8(ascii: "\\"), let next = bytes.popFirst() else { continue }
            hasEscapes = true
            raw.append(next)
        }
        guard hasEscapes else { return String(decoding: raw, as: UTF8.self) }
        let quoted = Data([UInt8(ascii: "\"")] + raw + [UInt8(ascii: "\"")])
        return (try? JSONDecoder().decode(String.self, from: quoted)) ?? String(decoding: raw, as: UTF8.self)
    }
}
