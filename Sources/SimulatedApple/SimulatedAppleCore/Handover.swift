/// A value that goes to another thread although the compiler cannot know that this is safe: the frameworks' types do not
/// say so.
///
/// For `@unchecked Sendable`: the thread that hands it over waits for the other one, or does not touch it any more.
package struct Handover<Value>: @unchecked Sendable {
    package let value: Value
    package init(_ value: Value) { self.value = value }
}
