/// The content of a notification; the simulated phone shows the title and the body, and keeps the rest.
///
/// For `@unchecked Sendable`: an object of this class is immutable, and a request copies an object of the mutable
/// subclass.
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
    /// The text below the title and subtitle.
    open var body: String { fields.body }
    /// The number on the app's icon.
    open var badge: NSNumber? { fields.badge }
    /// The sound, which is not played here.
    open var sound: UNNotificationSound? { fields.sound }
    /// Values that the app receives again when the notification is opened.
    open var userInfo: [AnyHashable: Any] { fields.userInfo }
    /// The category, which determines the actions on a phone; there are no actions here.
    open var categoryIdentifier: String { fields.categoryIdentifier }
    /// The identifier of the group in which the notification is shown.
    open var threadIdentifier: String { fields.threadIdentifier }
    /// How much the notification may disturb the user, which has no effect, because there is no Focus here.
    open var interruptionLevel: UNNotificationInterruptionLevel { fields.interruptionLevel }
    /// The prominence in a summary, from 0 to 1, which is kept but has no effect.
    open var relevanceScore: Double { fields.relevanceScore }

    /// Whether `userInfo` is a property list, which the system can keep.
    var hasPropertyListInfo: Bool { PropertyListSerialization.propertyList(userInfo, isValidFor: .binary) }

    /// The content in the form that the phone keeps.
    var archived: Data {
        let record = ContentRecord(
            title: title, subtitle: subtitle, body: body, badge: badge?.intValue, sound: sound.map(\.record),
            categoryIdentifier: categoryIdentifier, threadIdentifier: threadIdentifier,
            interruptionLevel: interruptionLevel.rawValue, relevanceScore: relevanceScore,
            userInfo: (try? PropertyListSerialization.data(fromPropertyList: userInfo, format: .binary, options: 0))
                ?? Data())
        return (try? JSONEncoder().encode(record)) ?? Data()
    }

    /// Creates the content that the phone has kept.
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

    /// Returns an immutable copy.
    open func copy(with zone: NSZone? = nil) -> Any { UNNotificationContent(fields: fields) }
}

/// A content in the form that the phone keeps, with `userInfo` as a property list.
private struct ContentRecord: Codable {
    var title, subtitle, body: String
    var badge: Int?
    var sound: UNNotificationSound.Record?
    var categoryIdentifier, threadIdentifier: String
    var interruptionLevel: UInt
    var relevanceScore: Double
    var userInfo: Data
}

/// How much a notification may disturb the user.
public enum UNNotificationInterruptionLevel: UInt, Sendable {
    /// The notification is added to the list, without lighting the screen or playing a sound.
    case passive = 0
    /// The default.
    case active = 1
    /// The notification is also presented during a Focus; this level needs an entitlement.
    case timeSensitive = 2
    /// The sound is played even when the phone is muted; this level needs an entitlement.
    case critical = 3
}

/// The content of a notification, with mutable properties.
///
/// For `@unchecked Sendable`, which this class inherits: only the app changes an object, on one thread at a time, and a
/// request copies the object.
public final class UNMutableNotificationContent: UNNotificationContent, @unchecked Sendable {
    /// Creates an empty content.
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
    /// The text below the title and subtitle.
    override public var body: String {
        get { fields.body }
        set { fields.body = newValue }
    }
    /// The number on the app's icon.
    override public var badge: NSNumber? {
        get { fields.badge }
        set { fields.badge = newValue }
    }
    /// The sound, which is not played here.
    override public var sound: UNNotificationSound? {
        get { fields.sound }
        set { fields.sound = newValue }
    }
    /// Values that the app receives again when the notification is opened.
    override public var userInfo: [AnyHashable: Any] {
        get { fields.userInfo }
        set { fields.userInfo = newValue }
    }
    /// The category, which determines the actions on a phone; there are no actions here.
    override public var categoryIdentifier: String {
        get { fields.categoryIdentifier }
        set { fields.categoryIdentifier = newValue }
    }
    /// The identifier of the group in which the notification is shown.
    override public var threadIdentifier: String {
        get { fields.threadIdentifier }
        set { fields.threadIdentifier = newValue }
    }
    /// How much the notification may disturb the user, which has no effect here.
    override public var interruptionLevel: UNNotificationInterruptionLevel {
        get { fields.interruptionLevel }
        set { fields.interruptionLevel = newValue }
    }
    /// The prominence in a summary, from 0 to 1, which has no effect here.
    override public var relevanceScore: Double {
        get { fields.relevanceScore }
        set { fields.relevanceScore = newValue }
    }
}

/// The name of a sound file.
public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String
    /// Creates a name from its text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a name from its text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The sound of a notification, which is not played here.
public final class UNNotificationSound: NSObject, Sendable {
    private let name: UNNotificationSoundName?

    private init(_ name: UNNotificationSoundName?) {
        self.name = name
        super.init()
    }

    struct Record: Codable {
        /// The name of the file; `nil` for the system's sound.
        var name: String?
    }

    fileprivate var record: Record { Record(name: name?.rawValue) }

    fileprivate convenience init(_ record: Record) { self.init(record.name.map { UNNotificationSoundName($0) }) }

    /// Creates the sound of a file.
    public convenience init(named name: UNNotificationSoundName) { self.init(name) }

    /// The system's sound for critical alerts, which are heard even when the phone is muted.
    public static let defaultCritical = UNNotificationSound(nil)
    /// The system's sound for calls.
    public static let defaultRingtone = UNNotificationSound(nil)
    /// Returns the system's sound, with a volume from 0 to 1.
    public static func defaultCriticalSound(withAudioVolume volume: Float) -> UNNotificationSound { .defaultCritical }
    /// Returns the sound of a file, which is heard even when the phone is muted.
    public static func criticalSoundNamed(_ name: UNNotificationSoundName) -> UNNotificationSound {
        UNNotificationSound(named: name)
    }
    /// Returns the sound of a file, which is heard even when the phone is muted, with a volume from 0 to 1.
    public static func criticalSoundNamed(
        _ name: UNNotificationSoundName, withAudioVolume volume: Float
    ) -> UNNotificationSound { UNNotificationSound(named: name) }

    /// The system's sound.
    public static let `default` = UNNotificationSound(nil)
}
