public import ApusDevice

/// A method of a class, as named by `#selector`; the object on which it is called is given with each call.
///
/// On Linux the compiler has no `#selector`. The plugin `RewriteObjC` replaces it with a call of ``SelectorNames``.
///
/// Two selectors are equal if their methods have the same base name and parameters of the same types. On Apple's
/// systems only the names with their labels count: `show(_:)` and `show(with:)` are different there.
public struct Selector: Hashable, Sendable, CustomStringConvertible {
    private struct Key: Hashable {
        var baseName: String
        var parameters: [ObjectIdentifier]
    }

    /// The method's name with its labels, as in `#selector`.
    public let description: String

    private let key: Key
    private let type: any AnyObject.Type
    private let isFor: @Sendable (AnyObject) -> Bool
    private let call: @Sendable (AnyObject, Arguments) -> Any?

    /// Creates a selector.
    ///
    /// - Parameters:
    ///   - name: The method's name as in `#selector`, with or without labels.
    ///   - parameters: The types of the method's parameters.
    ///   - call: Calls the method; the arguments have these types.
    init<Target: AnyObject>(
        name: String, parameters: [Any.Type], call: @escaping @Sendable (Target, Arguments) -> Any?
    ) {
        description = name
        key = Key(
            baseName: String(name.prefix { $0 != "(" }), parameters: parameters.map { ObjectIdentifier($0) })
        type = Target.self
        isFor = { $0 is Target }
        self.call = { target, arguments in (target as? Target).flatMap { call($0, arguments) } }
    }

    /// Returns whether the object has this method.
    package func isMethod(of target: AnyObject) -> Bool { isFor(target) }

    /// Calls the method, with as many of the arguments as it has parameters, as Apple's frameworks do.
    ///
    /// The device records a fault if the object does not have the method, or if an argument has another type than the
    /// parameter.
    ///
    /// - Returns: The result of the method; `nil` if it was not called.
    @discardableResult
    package func callAsFunction(_ target: AnyObject, _ arguments: Any?...) -> Any? {
        guard isFor(target) else {
            return fault("\(Swift.type(of: target)) has no method \(self), which is a method of \(type)")
        }
        let arguments = Arguments(arguments)
        let result = call(target, arguments)
        guard let expected = arguments.missing else { return result }
        return fault("\(type).\(self) is called with \(arguments) instead of \(expected)")
    }

    private func fault(_ message: String) -> Any? {
        SimulatedPhone.process.host.fault(Fault(.unrecognizedSelector, message))
        return nil
    }

    /// Returns whether the base names and the types of the parameters are the same.
    public static func == (left: Selector, right: Selector) -> Bool { left.key == right.key }

    /// Hashes the base name and the types of the parameters.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// The arguments of one call of a method.
final class Arguments: CustomStringConvertible {
    private let values: [Any?]
    /// The type of the first parameter for which no argument of that type was given; `nil` if all arguments fit.
    private(set) var missing: Any.Type?

    init(_ values: [Any?]) { self.values = values }

    /// Returns the argument at an index if it has this type; otherwise it records that the method cannot be called.
    func value<Value>(_ index: Int, as type: Value.Type) -> Value? {
        if values.indices.contains(index), let value = values[index] as? Value { return value }
        missing = type
        return nil
    }

    var description: String {
        let types = values.map { value in value.map { "\(type(of: $0))" } ?? "nil" }
        return types.isEmpty ? "nothing" : types.joined(separator: " and ")
    }
}

extension Fault.Rule {
    /// A selector was called on an object that lacks its method, or with arguments of other types.
    public static let unrecognizedSelector = Fault.Rule("NSInvalidArgumentException.unrecognizedSelector")
}

// Making a selector from a text needs the runtime of Objective-C.

extension Selector {
    /// Unavailable, because on Linux methods cannot be found by their names.
    @available(*, unavailable, message: "on Linux methods cannot be found by their names; write #selector(…)")
    public init(_ name: String) { fatalError("\(name) cannot be found by its name") }
}

// The name is Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Unavailable, because on Linux methods cannot be found by their names.
@available(*, unavailable, message: "on Linux methods cannot be found by their names; write #selector(…)")
public func NSSelectorFromString(_ name: String) -> Selector { fatalError("\(name) cannot be found by its name") }

// The name is Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the method's name with its labels, in Swift's form.
public func NSStringFromSelector(_ selector: Selector) -> String { selector.description }
