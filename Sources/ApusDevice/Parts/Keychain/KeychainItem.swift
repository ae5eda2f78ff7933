package import Foundation

/// The value of an attribute of a keychain item.
package enum KeychainValue: Sendable, Hashable, Codable {
    case text(String)
    case number(Int64)
    case data(Data)
}

/// An item of the keychain.
///
/// The attributes have the values of Apple's constants as names, such as `acct` for `kSecAttrAccount`.
package struct KeychainItem: Sendable, Hashable, Codable {
    /// The class of the item, as the value of Apple's constant: `genp` (generic password) or `inet` (internet
    /// password).
    package var itemClass: String
    /// All attributes but the secret.
    package var attributes: [String: KeychainValue]
    /// The secret.
    package var data: Data?

    package init(itemClass: String, attributes: [String: KeychainValue], data: Data? = nil) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.data = data
    }
}

/// A request of an app to the keychain.
package enum KeychainRequest: Sendable, Hashable, Codable {
    case add(KeychainItem)
    /// Finds the items that have the given class and attributes: all of them, or at most one if `all` is false.
    case find(KeychainItem, all: Bool, withData: Bool)
    /// Changes all items that have the class and the attributes of the first item.
    ///
    /// They get the attributes of the second item, and its secret if it has one.
    case update(KeychainItem, to: KeychainItem)
    case delete(KeychainItem)
}

/// The answer of the keychain.
package struct KeychainReply: Sendable, Hashable, Codable {
    package var status: KeychainStatus
    /// The items that were found or added.
    package var items: [KeychainItem] = []
}

/// The result of a request, with the numbers of Apple's result codes (SecBase.h).
package enum KeychainStatus: Int32, Sendable, Hashable, Codable {
    case success = 0
    case invalidParameter = -50
    case duplicateItem = -25299
    case itemNotFound = -25300
    case interactionNotAllowed = -25308
}
