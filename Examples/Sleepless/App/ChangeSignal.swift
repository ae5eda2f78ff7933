/// How a screen says that it looks different now.
@MainActor
final class ChangeSignal {
    var handler: (@MainActor () -> Void)?

    func callAsFunction() { handler?() }
}
