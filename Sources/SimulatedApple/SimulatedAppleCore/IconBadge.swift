import Foundation

extension PhoneProcess {
    private static let badgeRecord = "badge of the icon"

    /// The number on the app's icon, which outlives the process; each change is written into the device's log.
    package var badge: Int {
        get { records[Self.badgeRecord].flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0 }
        set {
            records[Self.badgeRecord] = Data("\(newValue)".utf8)
            host.note("badge \(newValue)")
        }
    }
}
