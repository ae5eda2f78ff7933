#if SimulatedApple
    /// Gives an app a delegate of UIKit. Rule: Apple, "UIApplicationDelegateAdaptor": the delegate is made with the
    /// app. One that is an `ObservableObject`, or `@Observable`, is in the environment too.
    @MainActor @preconcurrency @propertyWrapper
    public struct UIApplicationDelegateAdaptor<DelegateType: NSObject & UIApplicationDelegate>: DelegateAdaptor {
        /// The delegate.
        public let wrappedValue: DelegateType

        /// Makes the delegate, with its `init()`.
        public init(_ delegateType: DelegateType.Type = DelegateType.self) {
            // Objective-C can do this with any class. Here the initializer would have to be `required`; the slot of
            // NSObject's is the same in all of its subclasses.
            let make = unsafeBitCast(delegateType as AnyObject.Type, to: Creatable.Type.self)
            let object: AnyObject = make.init()
            guard let delegate = object as? DelegateType else {
                preconditionFailure("\(delegateType) cannot be made with init()")
            }
            wrappedValue = delegate
        }

        var delegate: any UIApplicationDelegate { wrappedValue }

        func addObject(to environment: inout EnvironmentValues) {
            if wrappedValue is any ObservableObject || wrappedValue is any Observable {
                environment.set(wrappedValue, for: DelegateType.self)
            }
        }
    }

    extension UIApplicationDelegateAdaptor where DelegateType: ObservableObject {
        /// Bindings to the delegate's properties.
        public var projectedValue: ObservedObject<DelegateType>.Wrapper { ObservedObject.Wrapper(object: wrappedValue) }
    }

    /// An adaptor with any delegate.
    @MainActor
    protocol DelegateAdaptor {
        var delegate: any UIApplicationDelegate { get }
        func addObject(to environment: inout EnvironmentValues)
    }

    /// Has the initializer of `NSObject` as one that may be called on any subclass.
    private class Creatable: NSObject {
        override required init() { super.init() }
    }
#endif
