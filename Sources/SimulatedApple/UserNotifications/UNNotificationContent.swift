/// What a notification says. The simulated phone shows the title and the body; the rest is kept.
///
/// For `@unchecked Sendable`: nothing of it changes. A mutable one is copied when it is handed over.
open class UNNotificationContent: NSObject, NSCopying, @unchecked Sendable {
    struct Fields {
        var title = ""
        var subtitle = ""
        var body = ""
        var badge: NSNumber?
        var sound: UNNotificationSound?
        var userInfo: [AnyHashable: Any] = [:]
        var categoryIdentifier = ""
        var threadIdentifier = ""
        var interruptionLevel = UNNotificationInterruptionLevel.active
        var relevanceScore = 0.0
    }

    fileprivate var fields: Fields

    init(fields: Fields) {
        self.fields = fields
        super.init()
    }

    /// The first line.
    open var title: String { fields.title }
    /// The second line.
    open var subtitle: String { fields.subtitle }
    /// The rest.
    open var body: String { fields.body }
    /// The number on the app's icon.
    open var badge: NSNumber? { fields.badge }
    /// The sound. It is not played here.
    open var sound: UNNotificationSound? { fields.sound }
    /// What the app wants to know again when the notification is opened.
    open var userInfo: [AnyHashable: Any] { fields.userInfo }
    /// Which actions it has. There are none here.
    open var categoryIdentifier: String { fields.categoryIdentifier }
    /// What it is shown together with.
    open var threadIdentifier: String { fields.threadIdentifier }
    /// How much it may disturb. It is kept and has no effect here, where there is no Focus.
    open var interruptionLevel: UNNotificationInterruptionLevel { fields.interruptionLevel }
    /// How prominent it is in a summary, from 0 to 1. It is kept and has no effect.
    open var relevanceScore: Double { fields.relevanceScore }

    /// Whether the system can keep what the app wants to know again.
    var hasPropertyListInfo: Bool { PropertyListSerialization.propertyList(userInfo, isValidFor: .binary) }

    /// The content as the phone keeps it.
    var archived: Data {
        let record = ContentRecord(
            title: title, subtitle: subtitle, body: body, badge: badge?.intValue, sound: sound.map(\.record),
            categoryIdentifier: categoryIdentifier, threadIdentifier: threadIdentifier,
            interruptionLevel: interruptionLevel.rawValue, relevanceScore: relevanceScore,
            userInfo: (try? PropertyListSerialization.data(fromPropertyList: userInfo, format: .binary, options: 0))
                ?? Data())
        return (try? JSONEncoder().encode(record)) ?? Data()
    }

    /// The content that the phone has kept.
    convenience init(archived: Data) {
        guard let record = try? JSONDecoder().decode(ContentRecord.self, from: archived) else {
            self.init(fields: Fields())
            return
        }
        let info = try? PropertyListSerialization.propertyList(from: record.userInfo, options: [], format: nil)
        self.init(
            fields: Fields(
                title: record.title, subtitle: record.subtitle, body: record.body,
                badge: record.badge.map { NSNumber(value: $0) }, sound: record.sound.map(UNNotificationSound.init),
                userInfo: info as? [AnyHashable: Any] ?? [:], categoryIdentifier: record.categoryIdentifier,
                threadIdentifier: record.threadIdentifier,
                interruptionLevel: UNNotificationInterruptionLevel(rawValue: record.interruptionLevel) ?? .active,
                relevanceScore: record.relevanceScore))
    }

    /// The same content, which does not change.
    open func copy(with zone: NSZone? = nil) -> Any { UNNotificationContent(fields: fields) }
}

/// A content as the phone keeps it. What `userInfo` has to be is a property list.
private struct ContentRecord: Codable {
    var title, subtitle, body: String
    var badge: Int?
    var sound: UNNotificationSound.Record?
    var categoryIdentifier, threadIdentifier: String
    var interruptionLevel: UInt
    var relevanceScore: Double
    var userInfo: Data
}

/// How much a notification may disturb.
public enum UNNotificationInterruptionLevel: UInt, Sendable {
    /// It is in the list, and neither lights the screen nor sounds.
    case passive = 0
    /// As notifications are.
    case active = 1
    /// Also while a Focus is on, with an entitlement.
    case timeSensitive = 2
    /// Also while the phone is mute, with an entitlement.
    case critical = 3
}

/// What a notification is to say.
///
/// For `@unchecked Sendable`, which it inherits: only the app changes it, on one thread at a time, and the center copies it.
public final class UNMutableNotificationContent: UNNotificationContent, @unchecked Sendable {
    /// Without content.
    public init() { super.init(fields: Fields()) }

    /// The first line.
    override public var title: String {
        get { fields.title }
        set { fields.title = newValue }
    }
    /// The second line.
    override public var subtitle: String {
        get { fields.subtitle }
        set { fields.subtitle = newValue }
    }
    /// The rest.
    override public var body: String {
        get { fields.body }
        set { fields.body = newValue }
    }
    /// The number on the app's icon.
    override public var badge: NSNumber? {
        get { fields.badge }
        set { fields.badge = newValue }
    }
    /// The sound. It is not played here.
    override public var sound: UNNotificationSound? {
        get { fields.sound }
        set { fields.sound = newValue }
    }
    /// What the app wants to know again when the notification is opened.
    override public var userInfo: [AnyHashable: Any] {
        get { fields.userInfo }
        set { fields.userInfo = newValue }
    }
    /// Which actions it has. There are none here.
    override public var categoryIdentifier: String {
        get { fields.categoryIdentifier }
        set { fields.categoryIdentifier = newValue }
    }
    /// What it is shown together with.
    override public var threadIdentifier: String {
        get { fields.threadIdentifier }
        set { fields.threadIdentifier = newValue }
    }
    /// How much it may disturb.
    override public var interruptionLevel: UNNotificationInterruptionLevel {
        get { fields.interruptionLevel }
        set { fields.interruptionLevel = newValue }
    }
    /// How prominent it is in a summary.
    override public var relevanceScore: Double {
        get { fields.relevanceScore }
        set { fields.relevanceScore = newValue }
    }
}

/// The name of a file with a sound.
public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String
    /// The name of a file.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The name of a file.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The sound of a notification. It is not played here.
public final class UNNotificationSound: NSObject, Sendable {
    private let name: UNNotificationSoundName?

    private init(_ name: UNNotificationSoundName?) {
        self.name = name
        super.init()
    }

    struct Record: Codable {
        /// Nil is the system's sound.
        var name: String?
    }

    fileprivate var record: Record { Record(name: name?.rawValue) }

    fileprivate convenience init(_ record: Record) { self.init(record.name.map { UNNotificationSoundName($0) }) }

    /// The sound of a file.
    public convenience init(named name: UNNotificationSoundName) { self.init(name) }

    /// The system's sound.
    public static let `default` = UNNotificationSound(nil)
}
