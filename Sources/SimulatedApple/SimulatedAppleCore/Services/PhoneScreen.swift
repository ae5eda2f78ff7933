package import Foundation

/// What the app shows and what the user can press there, as the framework knows it that the app's screen is made with.
/// It registers itself with ``PhoneProcess/show(_:)``.
@MainActor
package protocol PhoneScreen: AnyObject, Sendable {
    /// The texts that the user can read, from above to below: of labels, buttons, rows.
    var lines: [String] { get }
    /// The user presses what has that title or identifier. False when there is no such thing, or it is not enabled.
    func press(_ title: String) -> Bool
    /// The user presses a row of the table in front.
    func pressRow(_ row: Int, section: Int) -> Bool
    /// The user turns the picker with that identifier; without one, the picker in front. False when there is no such
    /// picker, or it does not pick that.
    func turn(_ identifier: String?, to choice: PickerChoice) -> Bool
}

/// What a user picks.
package enum PickerChoice: Codable, Sendable {
    case date(Date)
    /// In seconds.
    case duration(Double)
}

extension PhoneScreen {
    /// For frameworks without tables.
    package func pressRow(_ row: Int, section: Int) -> Bool { false }
    /// For frameworks without pickers.
    package func turn(_ identifier: String?, to choice: PickerChoice) -> Bool { false }
}

/// What the user does with the screen.
enum ScreenRequest: Codable {
    case read
    case press(String)
    case pressRow(Int, section: Int)
    case turn(String?, PickerChoice)

    /// What has to be there, in a message; nil when nothing has to.
    var target: String? {
        switch self {
        case .read: nil
        case .press(let title): "“\(title)”"
        case .pressRow(let row, let section): "row \(row) of section \(section)"
        case .turn(let identifier?, _): "picker “\(identifier)” for that"
        case .turn(nil, _): "picker for that"
        }
    }
}

/// What came of it.
struct ScreenReply: Codable {
    /// The texts, before anything was pressed; nil when the app shows nothing.
    var lines: [String]?
    var isPressed = false
}

extension PhoneProcess {
    /// The user does something with the screen.
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
