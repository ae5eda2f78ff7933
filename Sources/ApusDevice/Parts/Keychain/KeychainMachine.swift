/// The items of a device's keychain, and the conditions under which their secrets can be read: a pure state machine.
///
/// Attributes can be read at any time, which is a choice of the simulation, unless `hidesItemsBeforeFirstUnlock`. A
/// secret can be read only while the key of its class is available (Apple Platform Security, "Keychain data
/// protection"). Apple does not document what becomes of the items of a deleted app; they stay, as they do on phones
/// (DTS, developer.apple.com/forums/thread/36442).
struct KeychainMachine {
    private struct Entry {
        /// The bundle identifier of the app that added the item.
        let owner: String
        var item: KeychainItem
    }

    /// The item that caused the refusal of a request, for the log.
    struct Refusal: Equatable {
        let name: String
        let accessibility: Accessibility
    }

    var state = ProtectedDataState.available
    /// Whether unreadable items are hidden until the first unlock, also from queries without their secrets.
    ///
    /// Otherwise, a request for the secret results in `interactionNotAllowed`.
    let hidesItemsBeforeFirstUnlock: Bool
    private var entries: [Entry] = []
    /// The item that the last request could not read or write.
    private(set) var refusal: Refusal?

    init(hidesItemsBeforeFirstUnlock: Bool) { self.hidesItemsBeforeFirstUnlock = hidesItemsBeforeFirstUnlock }

    mutating func answer(_ request: KeychainRequest, of app: String) -> KeychainReply {
        refusal = nil
        return switch request {
        case .add(let item): add(item, of: app)
        case .find(let query, let all, let withData): find(query, all: all, withData: withData, of: app)
        case .update(let query, let changes): update(query, to: changes, of: app)
        case .delete(let query): delete(query, of: app)
        }
    }

    private mutating func add(_ item: KeychainItem, of app: String) -> KeychainReply {
        guard let keys = Self.primaryKeys[item.itemClass], let accessibility = item.accessibility else {
            return KeychainReply(status: .invalidParameter)
        }
        var item = item
        item.attributes[Accessibility.key] = .text(accessibility.rawValue)
        item.attributes[Self.accessGroup] = item.attributes[Self.accessGroup] ?? .text(app)
        guard !entries.contains(where: { $0.item.isSame(as: item, keys) }) else {
            return KeychainReply(status: .duplicateItem)
        }
        guard accessibility.isReadable(state) else { return refuse(item) }
        entries.append(Entry(owner: app, item: item))
        return KeychainReply(status: .success, items: [item])
    }

    private mutating func find(
        _ query: KeychainItem, all: Bool, withData: Bool, of app: String
    ) -> KeychainReply {
        guard Self.primaryKeys[query.itemClass] != nil else { return KeychainReply(status: .invalidParameter) }
        let found = indices(of: query, app).map { entries[$0].item }
        let wanted = all ? found : Array(found.prefix(1))
        guard !wanted.isEmpty else { return KeychainReply(status: .itemNotFound) }
        guard withData else { return KeychainReply(status: .success, items: wanted.map(\.withoutData)) }
        if let unreadable = wanted.first(where: { !isReadable($0) }) { return refuse(unreadable) }
        return KeychainReply(status: .success, items: wanted)
    }

    private mutating func update(_ query: KeychainItem, to changes: KeychainItem, of app: String) -> KeychainReply {
        guard let keys = Self.primaryKeys[query.itemClass], changes.accessibility != nil else {
            return KeychainReply(status: .invalidParameter)
        }
        let found = indices(of: query, app)
        guard !found.isEmpty else { return KeychainReply(status: .itemNotFound) }
        let others = entries.indices.filter { !found.contains($0) }
        var changed: [KeychainItem] = []
        for index in found {
            var item = entries[index].item
            // A new secret is encrypted with the key of the item's class. For a new class, the old secret must be
            // decrypted first. Both are possible only while the item can be read.
            if changes.data != nil || changes.attributes[Accessibility.key] != nil {
                if !isReadable(item) { return refuse(item) }
            }
            item.attributes.merge(changes.attributes) { $1 }
            item.data = changes.data ?? item.data
            if !isReadable(item), changes.attributes[Accessibility.key] != nil { return refuse(item) }
            let isTaken = others.contains { entries[$0].item.isSame(as: item, keys) }
            guard !isTaken, !changed.contains(where: { $0.isSame(as: item, keys) }) else {
                return KeychainReply(status: .duplicateItem)
            }
            changed.append(item)
        }
        for (index, item) in zip(found, changed) { entries[index].item = item }
        return KeychainReply(status: .success)
    }

    private mutating func delete(_ query: KeychainItem, of app: String) -> KeychainReply {
        guard Self.primaryKeys[query.itemClass] != nil else { return KeychainReply(status: .invalidParameter) }
        let found = indices(of: query, app)
        guard !found.isEmpty else { return KeychainReply(status: .itemNotFound) }
        for index in found.reversed() { entries.remove(at: index) }
        return KeychainReply(status: .success)
    }

    private mutating func indices(of query: KeychainItem, _ app: String) -> [Int] {
        let matching = entries.indices.filter { index in
            let (owner, item) = (entries[index].owner, entries[index].item)
            let isVisible = owner == app || query.attributes[Self.accessGroup] != nil
            return isVisible && item.itemClass == query.itemClass
                && query.attributes.allSatisfy { item.attributes[$0.key] == $0.value }
        }
        guard hidesItemsBeforeFirstUnlock, state == .beforeFirstUnlock else { return matching }
        if let hidden = matching.first(where: { !isReadable(entries[$0].item) }) { _ = refuse(entries[hidden].item) }
        return matching.filter { isReadable(entries[$0].item) }
    }

    private func isReadable(_ item: KeychainItem) -> Bool { item.accessibility?.isReadable(state) ?? false }

    private mutating func refuse(_ item: KeychainItem) -> KeychainReply {
        let name = ["acct", "svce", "srvr", "labl"].lazy.compactMap { item.attributes[$0]?.text }.first ?? ""
        refusal = Refusal(name: name, accessibility: item.accessibility ?? .whenUnlocked)
        return KeychainReply(status: .interactionNotAllowed)
    }

    private static let accessGroup = "agrp"

    /// The attributes that together identify an item of a class (Apple, documentation/security/errsecduplicateitem).
    private static let primaryKeys = [
        "genp": ["acct", "svce", "agrp", "sync"],
        "inet": ["acct", "sdmn", "srvr", "ptcl", "atyp", "port", "path", "agrp", "sync"],
    ]
}

extension KeychainMachine {
    /// The condition under which an item's secret can be read: a value of `kSecAttrAccessible`, whose default is
    /// `whenUnlocked`.
    ///
    /// Apple, documentation/security/restricting-keychain-item-accessibility
    enum Accessibility: String {
        case whenUnlocked = "ak"
        case afterFirstUnlock = "ck"
        case always = "dk"
        case whenPasscodeSetThisDeviceOnly = "akpu"
        case whenUnlockedThisDeviceOnly = "aku"
        case afterFirstUnlockThisDeviceOnly = "cku"
        case alwaysThisDeviceOnly = "dku"

        static let key = "pdmn"

        func isReadable(_ state: ProtectedDataState) -> Bool {
            switch self {
            case .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly: state == .available
            case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: state < .beforeFirstUnlock
            case .always, .alwaysThisDeviceOnly: true
            }
        }

        /// The name of Apple's constant, such as `kSecAttrAccessibleWhenUnlocked`.
        var name: String {
            let value = "\(self)"
            return "kSecAttrAccessible" + value.prefix(1).uppercased() + value.dropFirst()
        }
    }
}

extension KeychainItem {
    /// The accessibility of the item; `nil` if the attribute's value is none of Apple's.
    fileprivate var accessibility: KeychainMachine.Accessibility? {
        guard let value = attributes[KeychainMachine.Accessibility.key] else { return .whenUnlocked }
        return value.text.flatMap { KeychainMachine.Accessibility(rawValue: $0) }
    }

    fileprivate var withoutData: KeychainItem { KeychainItem(itemClass: itemClass, attributes: attributes) }

    fileprivate func isSame(as other: KeychainItem, _ keys: [String]) -> Bool {
        itemClass == other.itemClass && keys.allSatisfy { attributes[$0] == other.attributes[$0] }
    }
}

extension KeychainValue {
    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}
