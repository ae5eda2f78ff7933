public import ApusBackground
public import ApusDevice

extension SimulatedPhone {
    /// The texts on the screen, from above to below: those of labels, buttons, fields, rows of tables, a bar's title
    /// and buttons, and of an alert that is in front of all that. What is hidden is not among them.
    ///
    /// It is read on the app's main thread, in a process of the app's own too.
    ///
    /// - Parameter device: The device.
    /// - Returns: The texts.
    /// - Throws: ``ScreenError`` when the app is not in the foreground, or shows nothing.
    public static func screen(on device: SimulatedDevice) throws(ScreenError) -> [String] {
        try ask(.read, on: device).lines ?? []
    }

    /// The user taps what has that title in front of everything else: an action of an alert, a button, a button of a
    /// navigation bar, a row of a table that shows the text. A view's `accessibilityIdentifier` is good for a title.
    /// The work of the main loop that this makes is done when this returns.
    ///
    /// It is done on the app's main thread, in a process of the app's own too. There, a thread that is blocked comes to
    /// it later, and this throws ``ScreenError/busy``.
    ///
    /// - Parameters:
    ///   - title: The title, the text or the identifier.
    ///   - device: The device.
    /// - Throws: ``ScreenError`` when nothing was tapped.
    public static func tap(_ title: String, on device: SimulatedDevice) throws(ScreenError) {
        try touch(.press(title), on: device)
    }

    /// The user taps a row of the table in front.
    package static func tapRow(_ row: Int, section: Int, on device: SimulatedDevice) throws(ScreenError) {
        try touch(.pressRow(row, section: section), on: device)
    }

    private static func touch(_ request: ScreenRequest, on device: SimulatedDevice) throws(ScreenError) {
        let reply = try ask(request, on: device)
        guard reply.isPressed else { throw .notThere(request.target ?? "", screen: reply.lines ?? []) }
        device.advance(by: .zero)
    }

    /// Has the app answer. Only an app in front is touched, and only one in the foreground is read.
    private static func ask(_ request: ScreenRequest, on device: SimulatedDevice) throws(ScreenError) -> ScreenReply {
        let phase = device.host?.phase ?? .terminated
        guard phase == .active || (phase == .inactive && request.target == nil) else { throw .notInFront(phase) }
        let phone = device.add(Phone.self)
        let answer = phone.appProcess.map { $0.answer(request) } ?? phone.process?.answer(request)
        guard let answer else { throw device.host == nil ? .notInFront(.terminated) : .busy }
        guard answer.lines != nil else { throw .nothingShown }
        return answer
    }
}

/// Why the user could not tap something, or read the screen.
public enum ScreenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no such thing, or it is not enabled; with the texts that are there.
    case notThere(String, screen: [String])
    /// The app is not in front: it is in that phase.
    case notInFront(Phase)
    /// The app's main thread is blocked. The tap takes effect when the thread runs again, if its target is there then.
    case busy
    /// The app has not shown a window.
    case nothingShown

    /// The error in words, for the person at the computer.
    public var description: String {
        switch self {
        case .notThere(let target, let lines):
            "there is no \(target) on the screen that could be tapped; "
                + (lines.isEmpty ? "it has no text" : "it shows " + lines.map { "“\($0)”" }.joined(separator: ", "))
        case .notInFront(let phase):
            "the app is \(Self.name(of: phase)), so the user neither sees nor touches it; open it first"
        case .busy: "the app's main thread is blocked, so it does not come to what the user does"
        case .nothingShown: "the app shows nothing: no window was made visible"
        }
    }

    private static func name(of phase: Phase) -> String {
        switch phase {
        case .active, .inactive: "not active"
        case .background: "in the background"
        case .suspended: "suspended"
        case .terminated: "not running"
        }
    }
}
