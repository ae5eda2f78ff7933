public import ApusDevice
import ApusTimers
import Foundation

/// The optional methods of a delegate's protocol, which on Linux are protocol methods with a default implementation.
///
/// A phone looks them up by name, in any class. On Linux a method fulfills the protocol only in the class that conforms
/// or a class above it. A method of the same name in a subclass is unrelated, and would never be called.
package enum OptionalMethods {
    private struct Question: Hashable {
        let type: ObjectIdentifier
        let delegate: String
    }

    /// The pairs of a class and a protocol that were examined.
    ///
    /// Each is examined once in a process, because the examination reads the program's symbol table.
    private static let examined = Locked<Set<Question>>([])

    /// Records a fault for each optional method that only a subclass of the conforming class declares.
    ///
    /// On Linux, such a method is never called.
    ///
    /// - Parameters:
    ///   - object: The delegate.
    ///   - delegate: The protocol.
    ///   - conforms: Returns whether a class conforms to the protocol.
    package static func check(_ object: AnyObject?, of delegate: Any.Type, _ conforms: (AnyClass) -> Bool) {
        guard let object, let host = SimulatedPhone.knownProcess?.host, let protocolName = _mangledTypeName(delegate)
        else { return }
        let conforming = classes(of: object).prefix(while: conforms)
        guard let base = conforming.last, conforming.count > 1,
            examined.withLock({
                $0.insert(Question(type: ObjectIdentifier(conforming[0]), delegate: protocolName)).inserted
            })
        else { return }
        let missing = missing(methods(ofProtocol: protocolName), in: classes(of: object), from: base)
        let unreachable = missing.intersection(conforming.dropLast().flatMap(methods))
        for method in unreachable.sorted() {
            host.fault(
                Fault(
                    .optionalMethodNotCalled,
                    "“\(method)” of \(conforming[0]) is never called: \(base) conforms to \(delegate), and on Linux "
                        + "only the optional methods that \(base) declares are called; declare it in \(base) too, and "
                        + "override it"))
        }
    }

    /// Returns the first of `labels` for which the object lacks the protocol's optional method.
    ///
    /// If the symbols of a class are not found, the class counts as having all methods. This applies, for example, to a
    /// class in a private type, and to every class in a release build, because the optimizer removes the symbols of
    /// methods.
    package static func firstMissing(
        of labels: [String], in object: AnyObject, of delegate: Any.Type, _ conforms: (AnyClass) -> Bool
    ) -> String? {
        let classes = classes(of: object)
        guard _isDebugAssertConfiguration(), let base = classes.last(where: conforms), !methods(base).isEmpty,
            let protocolName = _mangledTypeName(delegate)
        else { return nil }
        let missing = missing(methods(ofProtocol: protocolName), in: classes, from: base)
        return labels.first { label in missing.contains { $0.contains(" \(label): ") } }
    }

    /// Returns those of `methods` that neither the class `base` nor a class above it declares.
    private static func missing(_ methods: [String], in classes: [AnyClass], from base: AnyClass) -> Set<String> {
        Set(methods).subtracting(classes.drop { $0 != base }.flatMap(self.methods))
    }

    /// Returns the class of an object and its superclasses, from the bottom up.
    private static func classes(of object: AnyObject) -> [AnyClass] {
        let mirrors = sequence(first: Mirror(reflecting: object), next: \.superclassMirror)
        return mirrors.compactMap { $0.subjectType as? AnyClass }
    }

    /// Returns the signatures of a class's methods, without the name of the class.
    ///
    /// An example is "applicationDidBecomeActive(UIKit.UIApplication) -> ()".
    private static func methods(_ type: AnyClass) -> [String] {
        guard let name = _mangledTypeName(type) else { return [] }
        return ProgramSymbols.names(withPrefix: prefix(of: name)).compactMap(\.afterType)
    }

    /// Returns the beginning of the symbols of a type.
    ///
    /// The runtime does not know the file of a private type: for `A` in module `M` it returns
    /// `1M13$55b87423b3b4yXZ1AC`, with an address, while the symbols begin with `1M1A33_` and the file's hash.
    private static func prefix(of name: String) -> String {
        guard let end = name.range(of: "yXZ"), let start = name.lastIndex(of: "$"), start < end.lowerBound else {
            return name
        }
        let context = name[start..<end.lowerBound]
        return name[..<start].dropLast("\(context.count)".count) + name[end.upperBound...].dropLast() + "33_"
    }

    /// Returns the signatures of the methods for which the protocol's extensions have a default implementation.
    private static func methods(ofProtocol name: String) -> [String] {
        let mangled = name.hasSuffix("_p") ? name.dropLast(2) + "P" : name + "P"
        return ProgramSymbols.names(withPrefix: mangled).compactMap { symbol in
            symbol.hasPrefix("(extension in ") ? symbol.afterType : nil
        }
    }
}

extension String {
    /// The part after the type's name in the demangled name of a function; `nil` for other symbols.
    ///
    /// The parentheses around the name of a private type follow a dot, so they are not taken for those of the
    /// parameters.
    fileprivate var afterType: String? {
        let parameters = indices.first { place in
            self[place] == "(" && place != startIndex && ![".", ":", " ", "("].contains(self[index(before: place)])
        }
        guard let parameters, let dot = self[..<parameters].lastIndex(of: ".") else { return nil }
        return String(self[index(after: dot)...])
    }
}

extension Fault.Rule {
    /// An optional method of a delegate is declared in a subclass of the class that conforms, where it is not found on
    /// Linux.
    public static let optionalMethodNotCalled = Fault.Rule("optionalMethodNotCalled")
}
