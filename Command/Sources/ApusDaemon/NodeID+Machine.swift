import ApusClient
import ApusJobs
import PlatformC

extension NodeID {
    static var ofThisMachine: NodeID {
        var name = [CChar](repeating: 0, count: 256)
        // A name that is too long is truncated, perhaps without a terminating zero, so the last byte of the buffer is
        // kept zero.
        guard gethostname(&name, name.count - 1) == 0 else { return NodeID(rawValue: "apus") }
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return NodeID(rawValue: bytes.isEmpty ? "apus" : String(decoding: bytes, as: UTF8.self))
    }
}
