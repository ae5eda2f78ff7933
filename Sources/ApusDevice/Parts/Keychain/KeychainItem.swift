package import Foundation

/// The value of an attribute of a keychain item.
package enum KeychainValue: Sendable, Hashable, Codable {
    case text(String)
    case number(Int64)
    case data(Data)
}

/// An item of the keychain. The names of its attributes are those of Apple's constants, such as `acct`.
package struct KeychainItem: Sendable, Hashable, Codable {
    /// The kind of secret, which is the value of the constant: `genp` or `inet`.
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

/// What an app asks of the keychain.
package enum KeychainRequest: Sendable, Hashable, Codable {
    case add(KeychainItem)
    /// The items of that class with those attributes; one at most, unless all are asked for.
    case find(KeychainItem, all: Bool, withData: Bool)
    /// Sets the attributes, and the secret if there is one, of the items that `find` would find.
    case update(KeychainItem, to: KeychainItem)
    case delete(KeychainItem)
}

/// The answer of the keychain.
package struct KeychainReply: Sendable, Hashable, Codable {
    package var status: KeychainStatus
    /// Those that were found or added.
    package var items: [KeychainItem] = []
}

/// Apple's result codes, by their numbers (SecBase.h).
package enum KeychainStatus: Int32, Sendable, Hashable, Codable {
    case success = 0
    case invalidParameter = -50
    case duplicateItem = -25299
    case itemNotFound = -25300
    case interactionNotAllowed = -25308
}
