package import Foundation

/// The contents of the app's screen, and the touches that it accepts.
///
/// The framework with which the app builds its screen implements the protocol, and registers the screen with
/// ``PhoneProcess/show(_:)``.
@MainActor
package protocol PhoneScreen: AnyObject, Sendable {
    /// The texts that the user can read, from top to bottom: those of labels, buttons and rows.
    var lines: [String] { get }
    /// Presses the element with this title or identifier as the user does; returns `false` if none is enabled.
    func press(_ title: String) -> Bool
    /// Presses a row of the table in front as the user does; returns `false` if that is not possible.
    func pressRow(_ row: Int, section: Int) -> Bool
    /// Turns the picker with this identifier, or the one in front, as the user does; returns `false` if there is none
    /// for this kind of value.
    func turn(_ identifier: String?, to choice: PickerChoice) -> Bool
}

/// A value that the user picks.
package enum PickerChoice: Codable, Sendable {
    case date(Date)
    /// A duration, in seconds.
    case duration(Double)
}

extension PhoneScreen {
    /// Returns `false`, for frameworks without tables.
    package func pressRow(_ row: Int, section: Int) -> Bool { false }
    /// Returns `false`, for frameworks without pickers.
    package func turn(_ identifier: String?, to choice: PickerChoice) -> Bool { false }
}

/// An action of the user on the screen.
enum ScreenRequest: Codable {
    case read
    case press(String)
    case pressRow(Int, section: Int)
    case turn(String?, PickerChoice)

    /// The description of the required element, for a message; `nil` if none is required.
    var target: String? {
        switch self {
        case .read: nil
        case .press(let title): "“\(title)”"
        case .pressRow(let row, let section): "row \(row) of section \(section)"
        case .turn(let identifier?, _): "picker “\(identifier)” with that choice"
        case .turn(nil, _): "picker with that choice"
        }
    }
}

/// The result of an action on the screen.
struct ScreenReply: Codable {
    /// The texts before the action; `nil` if the app shows nothing.
    var lines: [String]?
    var isPressed = false
}

extension PhoneProcess {
    /// Performs an action of the user on the screen.
    @MainActor
    func answer(_ request: ScreenRequest) -> ScreenReply {
        guard let screen else { return ScreenReply() }
        var reply = ScreenReply(lines: screen.lines)
        switch request {
        case .read: break
        case .press(let title): reply.isPressed = screen.press(title)
        case .pressRow(let row, let section): reply.isPressed = screen.pressRow(row, section: section)
        case .turn(let identifier, let choice): reply.isPressed = screen.turn(identifier, to: choice)
        }
        return reply
    }
}
