import ApusDevice
import Foundation
import PlatformC

/// The contents of `Bundle.main` in an app's process.
///
/// Foundation on Linux would read the `Info.plist` beside the test's program.
enum AppBundle {
    private typealias Get = @convention(c) (UnsafeRawPointer?) -> UnsafeRawPointer?
    private typealias Set = @convention(c) (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer) -> Void

    /// Writes the manifest's keys into the main bundle's dictionary.
    ///
    /// It calls functions that Foundation's library exports but its module does not declare.
    ///
    /// - Parameter manifest: The app's manifest.
    /// - Returns: `false` if this Foundation has no such functions.
    static func begin(_ manifest: AppManifest) -> Bool {
        guard let getMain = dlsym(nil, "CFBundleGetMainBundle"), let set = dlsym(nil, "CFDictionarySetValue"),
            let getDictionary = dlsym(nil, "CFBundleGetInfoDictionary"),
            let main = unsafeBitCast(getMain, to: Get.self)(nil),
            let dictionary = unsafeBitCast(getDictionary, to: Get.self)(main)
        else { return false }
        for (key, value) in manifest.dictionary {
            // Core Foundation retains the key and the value.
            withExtendedLifetime((NSString(string: key), object(value))) { key, value in
                unsafeBitCast(set, to: Set.self)(
                    dictionary, Unmanaged.passUnretained(key).toOpaque(), Unmanaged.passUnretained(value).toOpaque())
            }
        }
        return true
    }

    private static func object(_ value: Any) -> NSObject {
        switch value {
        case let text as String: NSString(string: text)
        case let number as NSNumber: number
        case let date as Date: NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
        case let data as Data: NSData(data: data)
        case let array as [Any]: NSArray(array: array)
        case let dictionary as [String: Any]: NSDictionary(dictionary: dictionary)
        default: NSString(string: "\(value)")
        }
    }

    static let warning =
        "Bundle.main is the test's bundle, because its Info.plist cannot be replaced in this version of Foundation"
}

extension AppManifest {
    /// The keys of the file from which the manifest was read, and those that follow from the manifest's properties.
    fileprivate var dictionary: [String: Any] {
        let file = infoPlist.flatMap { try? PropertyListSerialization.propertyList(from: $0, format: nil) }
        var keys = file as? [String: Any] ?? [:]
        keys["CFBundleIdentifier"] = bundleIdentifier
        if keys["UIBackgroundModes"] == nil, !backgroundModes.isEmpty {
            keys["UIBackgroundModes"] = backgroundModes.map(\.rawValue).sorted()
        }
        if keys["BGTaskSchedulerPermittedIdentifiers"] == nil, !permittedTaskIdentifiers.isEmpty {
            keys["BGTaskSchedulerPermittedIdentifiers"] = permittedTaskIdentifiers.sorted()
        }
        return keys
    }
}
