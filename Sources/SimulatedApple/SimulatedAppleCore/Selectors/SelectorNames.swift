/// The names of the selectors in one source file.
///
/// Only the plugin `RewriteObjC` uses this type. It writes one value into each file, and calls the value to create each
/// selector.
///
/// The plugin replaces `#selector` with a call that contains only the method, so that all columns of the line stay the
/// same. The name is therefore found by the position of the call.
public struct SelectorNames: Sendable {
    private let names: [String: String]

    /// Creates a value with these names; the keys are `LINE:COLUMN` of the calls.
    public init(_ names: [String: String]) { self.names = names }

    private func name(_ line: Int, _ column: Int) -> String {
        guard let name = names["\(line):\(column)"] else {
            fatalError("the rewritten file has no name for the selector at \(line):\(column)")
        }
        return name
    }

    /// Returns the selector of a method without parameters.
    public func callAsFunction<Target: AnyObject, Result>(
        _ method: @escaping (Target) -> () -> Result, line: Int = #line, column: Int = #column
    ) -> Selector {
        let method = Handover(method)
        return Selector(name: name(line, column), parameters: []) { (target: Target, _) in method.value(target)() }
    }

    /// Returns the selector of a method with one parameter.
    public func callAsFunction<Target: AnyObject, First, Result>(
        _ method: @escaping (Target) -> (First) -> Result, line: Int = #line, column: Int = #column
    ) -> Selector {
        let method = Handover(method)
        return Selector(name: name(line, column), parameters: [First.self]) { (target: Target, arguments) in
            arguments.value(0, as: First.self).map { method.value(target)($0) }
        }
    }

    /// Returns the selector of a method with two parameters.
    public func callAsFunction<Target: AnyObject, First, Second, Result>(
        _ method: @escaping (Target) -> (First, Second) -> Result, line: Int = #line, column: Int = #column
    ) -> Selector {
        let method = Handover(method)
        return Selector(
            name: name(line, column), parameters: [First.self, Second.self]
        ) { (target: Target, arguments) in
            guard let first = arguments.value(0, as: First.self) else { return nil }
            return arguments.value(1, as: Second.self).map { method.value(target)(first, $0) }
        }
    }

    /// Returns the selector of a property's getter.
    public func callAsFunction<Target: AnyObject, Value>(
        _ property: KeyPath<Target, Value>, line: Int = #line, column: Int = #column
    ) -> Selector {
        let property = Handover(property)
        return Selector(name: name(line, column), parameters: []) { (target: Target, _) in
            target[keyPath: property.value]
        }
    }
}

// In Swift 6 mode only, the compiler selects these forms for methods of the main actor. In that mode, Apple's compiler
// makes such a method check at each call from Objective-C that it is on the main thread (SE-0423).
extension SelectorNames {
    /// Returns the selector of a main-actor method without parameters; calling it on another thread traps.
    public func callAsFunction<Target: AnyObject, Result>(
        _ method: @escaping (Target) -> @MainActor () -> Result, line: Int = #line, column: Int = #column
    ) -> Selector {
        let method = unsafeBitCast(method, to: ((Target) -> () -> Result).self)
        return self({ target in { Self.checkThread { method(target)() } } }, line: line, column: column)
    }

    /// Returns the selector of a main-actor method with one parameter; calling it on another thread traps.
    public func callAsFunction<Target: AnyObject, First, Result>(
        _ method: @escaping (Target) -> @MainActor (First) -> Result, line: Int = #line, column: Int = #column
    ) -> Selector {
        let method = unsafeBitCast(method, to: ((Target) -> (First) -> Result).self)
        return self(
            { target in { first in Self.checkThread { method(target)(first) } } }, line: line, column: column)
    }

    /// Returns the selector of a main-actor method with two parameters; calling it on another thread traps.
    public func callAsFunction<Target: AnyObject, First, Second, Result>(
        _ method: @escaping (Target) -> @MainActor (First, Second) -> Result, line: Int = #line, column: Int = #column
    ) -> Selector {
        let method = unsafeBitCast(method, to: ((Target) -> (First, Second) -> Result).self)
        return self(
            { target in { first, second in Self.checkThread { method(target)(first, second) } } },
            line: line, column: column)
    }

    private static func checkThread<Result>(_ call: () -> Result) -> Result {
        MainActor.preconditionIsolated("a selector of a method of the main actor was called on another thread")
        return call()
    }
}
