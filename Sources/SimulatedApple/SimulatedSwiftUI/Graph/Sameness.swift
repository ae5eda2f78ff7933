#if SimulatedApple
    /// Whether two values are the same, as far as that can be known of any type.
    ///
    /// Values that are `Equatable` are asked. Of objects it is the identity, and of all else the bytes: so two values
    /// with the same content may count as different, and then something is evaluated that need not be.
    enum Sameness {
        static func areSame(_ first: Any, _ second: Any) -> Bool {
            func compare<T>(_ first: T) -> Bool {
                guard type(of: second) == type(of: first as Any), let second = second as? T else { return false }
                return areSame(first, second)
            }
            return _openExistential(first, do: compare)
        }

        static func areSame<T>(_ first: T, _ second: T) -> Bool {
            if let first = first as? any Equatable { return isEqual(first, second) }
            if T.self is AnyClass { return first as AnyObject === second as AnyObject }
            return withUnsafeBytes(of: first) { first in
                withUnsafeBytes(of: second) { second in first.elementsEqual(second) }
            }
        }

        private static func isEqual<T: Equatable>(_ first: T, _ second: Any) -> Bool { (second as? T) == first }
    }
#endif
