import ApusTimers
import SimulatedAppleCore

/// A parameter of an intent, which the system sets before it calls `perform()`.
///
/// Only parameters are passed to the app's process; an intent's other properties have the values of `init()` there. Of
/// the options only the default value has an effect.
///
/// Source: Apple, documentation/appintents/intentparameter.
@propertyWrapper
public final class IntentParameter<Value: IntentParameterValue>: Sendable {
    private let title: String?
    private let kept: Locked<Value?>

    /// Creates a parameter.
    public init(
        title: LocalizedStringResource? = nil, description: LocalizedStringResource? = nil,
        default defaultValue: Value? = nil, inclusiveRange: (Value, Value)? = nil,
        requestValueDialog: IntentDialog? = nil, requestDisambiguationDialog: IntentDialog? = nil
    ) {
        self.title = title?.key
        kept = Locked(defaultValue ?? Value.absentParameterValue)
    }

    /// The value.
    ///
    /// Reading a parameter without a value stops the app, as on a phone.
    public var wrappedValue: Value {
        get {
            guard let value = kept.withLock({ $0 }) else {
                fatalError("the parameter \(title ?? "of type \(Value.self)") has no value")
            }
            return value
        }
        set { kept.withLock { $0 = newValue } }
    }

    /// The parameter itself.
    public var projectedValue: IntentParameter<Value> { self }

    /// Returns the error with which the intent ends if a value of this parameter is missing.
    ///
    /// A phone asks the user for the value and calls `perform()` again, which is not done here.
    public func needsValueError(_ dialog: IntentDialog? = nil) -> any Error { AppIntentError.needsValue(dialog?.text) }
}

/// A parameter whatever its type is.
protocol AnyParameter {
    var hasValue: Bool { get }
    func encoded() -> Data
    func set(_ data: Data) async throws
}

extension IntentParameter: AnyParameter {
    var hasValue: Bool { kept.withLock { $0 != nil } }
    func encoded() -> Data { wrappedValue.parameterData() }

    func set(_ data: Data) async throws {
        let value = try await Value.parameterValue(from: data)
        kept.withLock { $0 = value }
    }
}

// MARK: Dependencies

/// The objects that the app makes at its launch for its intents.
///
/// Source: Apple, documentation/appintents/appdependencymanager.
public final class AppDependencyManager: Sendable {
    private let makers = Locked<[String: @Sendable () -> any Sendable]>([:])

    /// The manager of the running process.
    public class var shared: AppDependencyManager {
        SimulatedPhone.process.shared.object(of: AppDependencyManager.self) { AppDependencyManager() }
    }

    private static func key<Dependency>(_ key: AnyHashable?, _ type: Dependency.Type) -> String {
        "\(key.map { "\($0)" } ?? "") \(_typeName(type))"
    }

    /// Adds an object, which is made when an intent first reads it.
    public func add<Dependency: Sendable>(
        key: AnyHashable? = nil, dependency make: @autoclosure @escaping @Sendable () -> Dependency
    ) { add(key: key, dependency: make) }

    /// Adds an object, which is made when an intent first reads it.
    public func add<Dependency: Sendable>(
        key: AnyHashable? = nil, dependency make: @escaping @Sendable () -> Dependency
    ) {
        let made = Locked<Dependency?>(nil)
        let key = Self.key(key, Dependency.self)
        makers.withLock { makers in
            makers[key] = {
                if let object = made.withLock({ $0 }) { return object }
                let object = make()
                return made.withLock { made in
                    if made == nil { made = object }
                    return made ?? object
                }
            }
        }
    }

    /// Adds an object that is made asynchronously, which is not simulated.
    @available(*, unavailable, message: "the simulation has no asynchronous dependencies; pass a closure without async")
    public func add<Dependency: Sendable>(
        key: AnyHashable? = nil, dependency make: @escaping @Sendable () async -> Dependency
    ) { fatalError("unavailable") }

    func get<Dependency: Sendable>(key: AnyHashable?, _ type: Dependency.Type) -> Dependency? {
        let key = Self.key(key, type)
        return makers.withLock { $0[key] }?() as? Dependency
    }
}

/// An object that the app has added to ``AppDependencyManager``.
///
/// Reading an object that was not added stops the app, as on a phone.
@propertyWrapper
public final class AppDependency<Value: Sendable>: Sendable {
    private let key: Locked<AnyHashable?>

    /// Creates a property whose object is found by its type, and by the key if there is one.
    public init(key: AnyHashable? = nil) { self.key = Locked(key) }

    /// The object.
    public var wrappedValue: Value {
        guard let value = AppDependencyManager.shared.get(key: key.withLock { $0 }, Value.self) else {
            fatalError("there is no \(Value.self); add it to AppDependencyManager.shared when the app is launched")
        }
        return value
    }
}
