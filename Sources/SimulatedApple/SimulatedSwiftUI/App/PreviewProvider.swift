#if SimulatedApple
    /// What Xcode shows of a view while it is written. Nothing asks for it here. (The macro `#Preview` needs a compiler plugin,
    /// and does not compile.)
    @MainActor @preconcurrency
    public protocol PreviewProvider {
        /// The type of the views that are shown.
        associatedtype Previews: View
        /// The views that are shown.
        @ViewBuilder static var previews: Previews { get }
    }
#endif
