import Foundation
import SimulatedAppleCore

/// The screen of an app with UIKit: the frontmost controller of the key window.
@MainActor
final class UIKitScreen: PhoneScreen {
    private weak var application: UIApplication?

    init(_ application: UIApplication) { self.application = application }

    /// The controller in front of all others.
    private var front: UIViewController? {
        guard var front = application?.keyWindow?.rootViewController else { return nil }
        while let presented = front.presentedViewController { front = presented }
        return front
    }

    package var lines: [String] { front?.screenLines ?? [] }

    package func press(_ title: String) -> Bool {
        guard let press = front?.press(for: title) else {
            return front?.view.firstVisibleView { $0.contents?.press(title) == true } != nil
        }
        press()
        return true
    }

    package func pressRow(_ row: Int, section: Int) -> Bool {
        let table = front?.view.firstVisibleView { $0 is UITableView } as? UITableView
        return table?.press(IndexPath(row: row, section: section)) ?? false
    }

    package func turn(_ identifier: String?, to choice: PickerChoice) -> Bool {
        let picker = front?.view.firstVisibleView { view in
            view is UIDatePicker && (identifier == nil || view.accessibilityIdentifier == identifier)
        }
        guard let picker = picker as? UIDatePicker, picker.isEnabled else { return false }
        return picker.turn(to: choice)
    }
}

extension UIViewController {
    fileprivate var barController: UIViewController { (self as? UINavigationController)?.topViewController ?? self }

    private var barItems: [UIBarButtonItem] {
        let item = barController.navigationItem
        return [item.leftBarButtonItem].compactMap { $0 } + (item.rightBarButtonItems ?? [])
    }

    fileprivate var screenLines: [String] {
        if let alert = self as? UIAlertController {
            let fields = (alert.textFields ?? []).compactMap(\.shownText)
            return [alert.title, alert.message].compactMap { $0 } + fields + alert.actions.compactMap(\.title)
        }
        var lines: [String] = []
        if navigationController != nil || self is UINavigationController {
            lines = [barController.navigationItem.title ?? barController.title].compactMap { $0 }
        }
        lines += barItems.compactMap(\.title)
        view.addLines(to: &lines)
        return lines.filter { !$0.isEmpty }
    }

    /// Returns the effect of a tap on the title; `nil` if nothing with that title can be tapped here.
    fileprivate func press(for title: String) -> (() -> Void)? {
        if let alert = self as? UIAlertController {
            return alert.actions.first { $0.title == title && $0.isEnabled }.map { action in { alert.tap(action) } }
        }
        let button = view.firstVisibleView { view in
            view.accessibilityIdentifier == title || (view as? UIButton)?.currentTitle == title
        }
        if let control = button as? UIControl, control.isEnabled { return { control.tap() } }
        if let taps = button?.tapRecognizers, !taps.isEmpty { return { for tap in taps { tap.recognize() } } }
        if let item = barItems.first(where: { $0.title == title && $0.isEnabled }) {
            return { item.press(above: self.barController) }
        }
        guard let row = view.firstRow(with: title) else { return nil }
        return { row.table.select(row.path) }
    }
}

extension UIControl {
    /// Taps the control as the user does; a switch is toggled.
    fileprivate func tap() {
        guard let toggle = self as? UISwitch else { return sendActions(for: .touchUpInside) }
        toggle.isOn.toggle()
        toggle.sendActions(for: .valueChanged)
    }
}

extension UITextField {
    /// The text, or the placeholder if the text is empty.
    fileprivate var shownText: String? { text?.isEmpty == false ? text : placeholder }
}

extension UIView {
    /// The visible views in this one: its subviews, and the parts that the framework manages itself, such as a table's
    /// cells.
    fileprivate var visibleSubviews: [UIView] {
        let own: [UIView?] =
            switch self {
            case let table as UITableView: table.paths.map { table.cellForRow(at: $0) }
            case let cell as UITableViewCell: [cell.textLabel, cell.detailTextLabel]
            default: []
            }
        return (own.compactMap { $0 } + subviews).filter { !$0.isHidden }
    }

    /// Adds the texts of this view and its subviews, from top to bottom.
    fileprivate func addLines(to lines: inout [String]) {
        if isHidden { return }
        switch self {
        case let label as UILabel: lines += [label.text].compactMap { $0 }
        case let button as UIButton: lines += [button.currentTitle].compactMap { $0 }
        case let field as UITextField: lines += [field.shownText].compactMap { $0 }
        case let table as UITableView:
            return table.addRows(to: &lines)
        default: break
        }
        if let contents { lines += contents.lines }
        for view in visibleSubviews { view.addLines(to: &lines) }
    }

    /// Returns the first view that is visible, can be touched and fulfills the condition: this view, or one in it at
    /// any depth.
    ///
    /// Of two subviews, the one in front comes first.
    fileprivate func firstVisibleView(_ fits: (UIView) -> Bool) -> UIView? {
        if isHidden || !isUserInteractionEnabled { return nil }
        if fits(self) { return self }
        for view in visibleSubviews.reversed() {
            if let found = view.firstVisibleView(fits) { return found }
        }
        return nil
    }

    /// Returns the first table row that can be selected, and that shows this text or has this identifier.
    fileprivate func firstRow(with text: String) -> (table: UITableView, path: IndexPath)? {
        if isHidden || !isUserInteractionEnabled { return nil }
        if let table = self as? UITableView, table.allowsSelection {
            let path = table.paths.first { path in
                guard let cell = table.cellForRow(at: path) else { return false }
                var lines: [String] = []
                cell.addLines(to: &lines)
                return cell.accessibilityIdentifier == text || lines.contains(text)
            }
            if let path { return (table, path) }
        }
        for view in visibleSubviews.reversed() {
            if let found = view.firstRow(with: text) { return found }
        }
        return nil
    }
}

extension UITableView {
    fileprivate func addRows(to lines: inout [String]) {
        for section in 0..<numberOfSections {
            lines += [dataSource?.tableView(self, titleForHeaderInSection: section)].compactMap { $0 ?? nil }
            for path in paths where path.section == section { cellForRow(at: path)?.addLines(to: &lines) }
        }
        for view in subviews { view.addLines(to: &lines) }
    }

    /// Taps a row as the user does; returns `false` if the row does not exist, or rows cannot be selected.
    func press(_ path: IndexPath) -> Bool {
        guard allowsSelection, cellForRow(at: path) != nil else { return false }
        select(path)
        return true
    }

    fileprivate func select(_ path: IndexPath) {
        selectRow(at: path, animated: true, scrollPosition: .none)
        delegate?.tableView(self, didSelectRowAt: path)
    }
}
