// swift-format-ignore-file: AlwaysUseLowerCamelCase

import ApusDevice
public import Foundation
import SimulatedAppleCore

/// Adds a password to the keychain of the phone, where it outlives the process, a restart and the app.
///
/// An item without `kSecAttrAccessible` can be read only while the device is unlocked.
///
/// Source: Apple, documentation/security/secitemadd(_:_:)
///
/// - Parameters:
///   - attributes: `kSecClass`, the attributes, and `kSecValueData`.
///   - result: Receives what the attributes ask for, as ``SecItemCopyMatching(_:_:)`` returns it.
/// - Returns: `errSecSuccess`, or one of these errors: `errSecDuplicateItem` if there is an item with the same primary
///   keys; `errSecInteractionNotAllowed` if the device is locked and the item may not be written then; `errSecParam`
///   for a class, a value or a key that is not simulated.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    guard let query = KeychainQuery(attributes) else { return KeychainQuery.refuse(attributes) }
    if query.findsSynchronizable { return errSecParam }
    return query.send(.add(query.itemToFind(withData: true)), result)
}

/// Finds passwords in the keychain: the first one, unless `kSecMatchLimit` asks for all.
///
/// Source: Apple, documentation/security/secitemcopymatching(_:_:)
///
/// - Parameters:
///   - query: `kSecClass`, the attributes to find, and `kSecReturnData` and `kSecReturnAttributes`.
///   - result: Receives the data, or a dictionary of the attributes, which contains the data if both are asked for. For
///     `kSecMatchLimitAll` it receives an array of these.
/// - Returns: `errSecSuccess`, or one of these errors: `errSecItemNotFound` if the query finds no item;
///   `errSecInteractionNotAllowed` if the data is asked for and cannot be read now; `errSecParam` for a class, a value
///   or a key that is not simulated.
@discardableResult
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    guard let asked = KeychainQuery(query) else { return KeychainQuery.refuse(query) }
    return asked.send(.find(asked.itemToFind(), all: asked.returnsAll, withData: asked.returnsData), result)
}

/// Changes the passwords that a query finds.
///
/// Source: Apple, documentation/security/secitemupdate(_:_:)
///
/// - Parameters:
///   - query: `kSecClass` and the attributes to find.
///   - attributesToUpdate: The new attributes, and the new `kSecValueData`.
/// - Returns: `errSecSuccess`, or one of these errors: `errSecItemNotFound` if the query finds no item;
///   `errSecInteractionNotAllowed` if the data or the accessibility of an item is to be changed, and the data cannot be
///   read now with the old or the new accessibility; `errSecDuplicateItem` if another item has the new primary keys;
///   `errSecParam` for a class, a value or a key that is not simulated, if the query asks for a result, or if the new
///   attributes contain a class, a limit or a request for a result.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    guard let asked = KeychainQuery(query) else { return KeychainQuery.refuse(query) }
    guard let changes = KeychainQuery(attributesToUpdate) else { return KeychainQuery.refuse(attributesToUpdate) }
    if asked.returnsData || asked.returnsAttributes || changes.hasMore { return errSecParam }
    return asked.send(.update(asked.itemToFind(), to: changes.item), nil)
}

/// Deletes all passwords that a query finds, on a locked device too.
///
/// Source: Apple, documentation/security/secitemdelete(_:)
///
/// - Parameter query: `kSecClass` and the attributes to find.
/// - Returns: `errSecSuccess`, or one of these errors: `errSecItemNotFound` if the query finds no item; `errSecParam`
///   for a class, a value or a key that is not simulated, or for a `kSecMatchLimit` other than `kSecMatchLimitAll`.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    guard let asked = KeychainQuery(query) else { return KeychainQuery.refuse(query) }
    if asked.isLimited { return errSecParam }
    return asked.send(.delete(asked.itemToFind()), nil)
}

/// Returns the meaning of a result code, in English.
///
/// - Parameters:
///   - status: The result code.
///   - reserved: `nil`.
/// - Returns: `nil` for a code that the simulated keychain never returns.
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    switch KeychainStatus(rawValue: status) {
    case .success: "No error."
    case .invalidParameter: "One or more parameters passed to a function were not valid."
    case .duplicateItem: "The specified item already exists in the keychain."
    case .itemNotFound: "The specified item could not be found in the keychain."
    case .interactionNotAllowed: "User interaction is not allowed."
    case nil: nil
    }
}

/// A dictionary that an app has given to the keychain.
private struct KeychainQuery {
    var item = KeychainItem(itemClass: "", attributes: [:])
    var returnsData = false
    var returnsAttributes = false
    var returnsAll = false
    /// Whether `kSecMatchLimit` is given, and is not `kSecMatchLimitAll`.
    var isLimited = false
    /// Whether the query finds items with and without a copy in iCloud (`kSecAttrSynchronizableAny`).
    var findsSynchronizable = false
    /// Whether the dictionary has a class, a limit, or a request for a result.
    var hasMore = false

    /// Reads a dictionary; returns `nil` if it has a key or a value that the simulated keychain does not have.
    init?(_ dictionary: CFDictionary) {
        for (key, value) in dictionary {
            guard let key = key as? String else { return nil }
            switch key as NSString {
            case kSecClass: (item.itemClass, hasMore) = (value as? String ?? "", true)
            case kSecValueData:
                guard let data = value as? Data else { return nil }
                item.data = data
            case kSecReturnData: (returnsData, hasMore) = (value as? Bool ?? false, true)
            case kSecReturnAttributes: (returnsAttributes, hasMore) = (value as? Bool ?? false, true)
            case kSecMatchLimit:
                // Apple also allows a number. Here any number above 1 asks for all items.
                returnsAll = value as? String == kSecMatchLimitAll as String || value as? Int ?? 1 > 1
                (isLimited, hasMore) = (value as? String != kSecMatchLimitAll as String, true)
            case kSecAttrSynchronizable where value as? String == kSecAttrSynchronizableAny as String:
                findsSynchronizable = true
            case kSecUseDataProtectionKeychain: continue
            default:
                guard Self.attributes.contains(key), let value = KeychainValue(value) else { return nil }
                item.attributes[key] = value
            }
        }
    }

    /// The item to find or to add; without `kSecAttrSynchronizable`, it is one that has no copy in iCloud.
    func itemToFind(withData: Bool = false) -> KeychainItem {
        var item = item
        if !withData { item.data = nil }
        let key = kSecAttrSynchronizable as String
        if item.attributes[key] == nil, !findsSynchronizable { item.attributes[key] = .number(0) }
        return item
    }

    private static let attributes: Set<String> = Set(
        [
            kSecAttrAccessible, kSecAttrAccessGroup, kSecAttrAccount, kSecAttrAuthenticationType, kSecAttrComment,
            kSecAttrCreator, kSecAttrDescription, kSecAttrGeneric, kSecAttrIsInvisible, kSecAttrIsNegative,
            kSecAttrLabel, kSecAttrPath, kSecAttrPort, kSecAttrProtocol, kSecAttrSecurityDomain, kSecAttrServer,
            kSecAttrService, kSecAttrSynchronizable, kSecAttrType,
        ].map { $0 as String })

    /// Writes a warning into the device's log about a dictionary that cannot be read, and returns the result code.
    static func refuse(_ dictionary: CFDictionary) -> OSStatus {
        let keys = dictionary.allKeys.map { "\($0)" }.sorted().joined(separator: ", ")
        SimulatedPhone.process.host.warn("a keychain query has a key or a value that is not simulated: \(keys)")
        return errSecParam
    }

    func send(_ request: KeychainRequest, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
        let reply = SimulatedPhone.process.host.ask(SimulatedKeychain.self, request)
        if reply.status == .success, returnsData || returnsAttributes {
            let values = reply.items.map(value)
            result?.pointee = returnsAll ? values as NSArray : values.first
        }
        return reply.status.rawValue
    }

    private func value(of item: KeychainItem) -> CFTypeRef {
        let data = (item.data ?? Data()) as NSData
        guard returnsAttributes else { return data }
        var values = item.attributes.mapValues(\.object)
        values[kSecClass as String] = item.itemClass as NSString
        if returnsData { values[kSecValueData as String] = data }
        return values as NSDictionary
    }
}

extension KeychainValue {
    /// Creates the value from an object; returns `nil` if no attribute has objects of this type.
    fileprivate init?(_ object: Any) {
        switch object {
        case let text as String: self = .text(text)
        case let data as Data: self = .data(data)
        case let number as NSNumber: self = .number(number.int64Value)
        default: return nil
        }
    }

    fileprivate var object: AnyObject {
        switch self {
        case .text(let text): text as NSString
        case .number(let number): NSNumber(value: number)
        case .data(let data): data as NSData
        }
    }
}
