// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

// Here, each type of Core Foundation is the class of Foundation to which a phone bridges it. The constants have Apple's
// values, because apps write them into files and compare them.

/// The dictionary of Core Foundation, which is bridged to `Dictionary`.
public typealias CFDictionary = NSDictionary
/// The string of Core Foundation, which is bridged to `String`.
public typealias CFString = NSString
/// The data of Core Foundation, which is bridged to `Data`.
public typealias CFData = NSData
/// The Boolean value of Core Foundation, which is bridged to `Bool`.
public typealias CFBoolean = NSNumber
/// Any object of Core Foundation.
public typealias CFTypeRef = AnyObject
/// A result code.
public typealias OSStatus = Int32

/// True.
public var kCFBooleanTrue: CFBoolean! { true }
/// False.
public var kCFBooleanFalse: CFBoolean! { false }

/// The key of the class of an item.
public var kSecClass: CFString { "class" }
/// The class of passwords of a service.
///
/// An item is identified by its account, service and access group, and by whether iCloud has a copy.
public var kSecClassGenericPassword: CFString { "genp" }
/// The class of passwords of a server.
///
/// An item is identified by its account, security domain, server, protocol, authentication type, port, path and access
/// group, and by whether iCloud has a copy.
public var kSecClassInternetPassword: CFString { "inet" }

/// The key of the accessibility, which determines when an item's secret can be read.
public var kSecAttrAccessible: CFString { "pdmn" }
/// The secret can be read while the device is unlocked; this is the default.
public var kSecAttrAccessibleWhenUnlocked: CFString { "ak" }
/// The secret can be read after the first unlock since the device was started.
public var kSecAttrAccessibleAfterFirstUnlock: CFString { "ck" }
/// The secret can always be read.
@available(*, deprecated, message: "Use an accessibility level that provides some user protection")
public var kSecAttrAccessibleAlways: CFString { "dk" }
/// The secret can be read while the device is unlocked; the simulated device has a passcode.
public var kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString { "akpu" }
/// The secret can be read while the device is unlocked.
public var kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString { "aku" }
/// The secret can be read after the first unlock since the device was started.
public var kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString { "cku" }
/// The secret can always be read.
@available(*, deprecated, message: "Use an accessibility level that provides some user protection")
public var kSecAttrAccessibleAlwaysThisDeviceOnly: CFString { "dku" }

/// The key of the group of apps that share an item, a `String`.
///
/// It is not compared with entitlements.
public var kSecAttrAccessGroup: CFString { "agrp" }
/// The key of the account, a `String`.
public var kSecAttrAccount: CFString { "acct" }
/// The key of the method by which the server authenticates.
public var kSecAttrAuthenticationType: CFString { "atyp" }
/// The key of a comment, a `String`.
public var kSecAttrComment: CFString { "icmt" }
/// The key of the creator, a number.
public var kSecAttrCreator: CFString { "crtr" }
/// The key of a description, a `String`.
public var kSecAttrDescription: CFString { "desc" }
/// The key of the app's own data, a `Data`.
public var kSecAttrGeneric: CFString { "gena" }
/// The key of a `Bool` that is true if the item is hidden from the user.
public var kSecAttrIsInvisible: CFString { "invi" }
/// The key of a `Bool` that is true if there is no password.
public var kSecAttrIsNegative: CFString { "nega" }
/// The key of the name for the user, a `String`.
public var kSecAttrLabel: CFString { "labl" }
/// The key of the path on the server, a `String`.
public var kSecAttrPath: CFString { "path" }
/// The key of the port of the server, a number.
public var kSecAttrPort: CFString { "port" }
/// The key of the protocol of the server.
public var kSecAttrProtocol: CFString { "ptcl" }
/// The protocol HTTP.
public var kSecAttrProtocolHTTP: CFString { "http" }
/// The protocol HTTPS.
public var kSecAttrProtocolHTTPS: CFString { "htps" }
/// The key of the domain on the server, a `String`.
public var kSecAttrSecurityDomain: CFString { "sdmn" }
/// The key of the name of the server, a `String`.
public var kSecAttrServer: CFString { "srvr" }
/// The key of the service, a `String`.
public var kSecAttrService: CFString { "svce" }
/// The key of a `Bool` that is true if iCloud has a copy; there is no iCloud here.
public var kSecAttrSynchronizable: CFString { "sync" }
/// The value with which a query finds items with a copy in iCloud, and items without one.
public var kSecAttrSynchronizableAny: CFString { "syna" }
/// The key of the type, a number.
public var kSecAttrType: CFString { "type" }

/// The key of the largest number of items that a query finds.
public var kSecMatchLimit: CFString { "m_Limit" }
/// The value with which a query finds all items.
public var kSecMatchLimitAll: CFString { "m_LimitAll" }
/// The value with which a query finds the first item only; this is the default.
public var kSecMatchLimitOne: CFString { "m_LimitOne" }
/// The key of a `Bool` that is true if a query returns the attributes.
public var kSecReturnAttributes: CFString { "r_Attributes" }
/// The key of a `Bool` that is true if a query returns the secret.
public var kSecReturnData: CFString { "r_Data" }
/// The key of a `Bool` that chooses a keychain of macOS; it has no effect here.
public var kSecUseDataProtectionKeychain: CFString { "nleg" }
/// The key of the secret, a `Data`.
public var kSecValueData: CFString { "v_Data" }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The status of success, which belongs to Foundation on Apple's systems.
public let noErr: OSStatus = 0
/// No error.
public let errSecSuccess: OSStatus = 0
/// The function does not exist.
///
/// Never returned here.
public let errSecUnimplemented: OSStatus = -4
/// A value is wrong, or is not simulated.
public let errSecParam: OSStatus = -50
/// There is no keychain.
///
/// Never returned here.
public let errSecNotAvailable: OSStatus = -25291
/// The authentication failed.
///
/// Never returned here.
public let errSecAuthFailed: OSStatus = -25293
/// There is an item with the same primary keys.
public let errSecDuplicateItem: OSStatus = -25299
/// There is no such item.
public let errSecItemNotFound: OSStatus = -25300
/// The item cannot be read or written on a locked device.
public let errSecInteractionNotAllowed: OSStatus = -25308
/// The item is damaged.
///
/// Never returned here.
public let errSecDecode: OSStatus = -26275
/// The app lacks an entitlement.
///
/// Never returned here.
public let errSecMissingEntitlement: OSStatus = -34018
