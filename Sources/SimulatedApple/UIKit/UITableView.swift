import ApusBackground
public import ApusDevice
public import SimulatedAppleCore

/// A list of rows in sections.
///
/// It calls its data source as on a phone, but there is no layout: all rows count as visible, and no heights are
/// requested.
///
/// Rules: Apple, documentation/uikit/uitableview.
@preconcurrency @MainActor
open class UITableView: UIView {
    /// The appearance of a table, which has no effect here.
    public enum Style: Int, Sendable {
        /// Rows without groups.
        case plain = 0
        /// Groups of rows.
        case grouped = 1
        /// Groups of rows with margins.
        case insetGrouped = 2
    }

    /// The animation with which rows appear and disappear, which has no effect here.
    public enum RowAnimation: Int, Sendable {
        /// The rows fade.
        case fade = 0
        /// The rows move to or from the right.
        case right = 1
        /// The rows move to or from the left.
        case left = 2
        /// The rows change without an animation.
        case none = 5
        /// The animation that suits the table.
        case automatic = 100
    }

    /// The object that provides the rows.
    open weak var dataSource: (any UITableViewDataSource)? {
        didSet {
            OptionalMethods.check(dataSource, of: (any UITableViewDataSource).self) {
                $0 is any UITableViewDataSource.Type
            }
            setNeedsReload()
        }
    }
    /// The object that is notified of the user's actions.
    open weak var delegate: (any UITableViewDelegate)? {
        didSet {
            OptionalMethods.check(delegate, of: (any UITableViewDelegate).self) { $0 is any UITableViewDelegate.Type }
        }
    }
    /// The appearance.
    public let style: Style
    /// The height of rows in points, which has no effect here.
    open var rowHeight: CGFloat = -1
    /// Whether the user can select rows.
    open var allowsSelection = true
    /// The selected row.
    open private(set) var indexPathForSelectedRow: IndexPath?

    private var makers: [String: () -> UITableViewCell] = [:]
    private var cells: [IndexPath: UITableViewCell] = [:]
    private var rows: [Int]?

    /// Creates a table with a frame.
    public init(frame: CGRect, style: Style) {
        self.style = style
        super.init(frame: frame)
    }

    /// Creates a plain table with a frame.
    override public convenience init(frame: CGRect) { self.init(frame: frame, style: .plain) }

    /// Creates a plain table of size zero, because no storyboards are read here.
    public required init?(coder: NSCoder) {
        style = .plain
        super.init(coder: coder)
    }

    // MARK: Cells

    /// Registers a closure that makes the cells for an identifier.
    ///
    /// It takes the place of the registration of a class, because on Linux a cell cannot be created from a class of the
    /// app.
    open func register(
        forCellReuseIdentifier identifier: String,
        _ make: @escaping (UITableViewCell.CellStyle, String) -> UITableViewCell
    ) { makers[identifier] = { make(.default, identifier) } }

    /// Registers plain cells for an identifier; `nil` removes the registration.
    ///
    /// Any class other than `UITableViewCell` stops the app. The message contains the call of
    /// ``register(forCellReuseIdentifier:_:)`` that the app needs instead.
    open func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {
        guard let cellClass else {
            makers[identifier] = nil
            return
        }
        guard cellClass == UITableViewCell.self else {
            fatalError(
                "on Linux a cell cannot be created from its class; write "
                    + "tableView.register(forCellReuseIdentifier: \"\(identifier)\") { "
                    + "\(cellClass)(style: $0, reuseIdentifier: $1) }")
        }
        register(forCellReuseIdentifier: identifier) { UITableViewCell(style: $0, reuseIdentifier: $1) }
    }

    /// Returns a new cell for a row; cells are not reused here.
    ///
    /// An identifier that is not registered stops the app, as on a phone.
    open func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
        guard let make = makers[identifier] else {
            fatalError("no cell is registered for “\(identifier)”; call tableView.register first")
        }
        return make()
    }

    /// Returns a new cell; `nil` if the identifier is not registered.
    open func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? { makers[identifier]?() }

    /// Returns the cell of a row, or `nil` if the row does not exist.
    ///
    /// The data source is asked at the first call, and again after the row was reloaded.
    open func cellForRow(at indexPath: IndexPath) -> UITableViewCell? {
        if let cell = cells[indexPath] { return cell }
        guard indexPath.section < numberOfSections, indexPath.row < numberOfRows(inSection: indexPath.section) else {
            return nil
        }
        let cell = dataSource?.tableView(self, cellForRowAt: indexPath)
        cells[indexPath] = cell
        return cell
    }

    // MARK: Rows

    /// All rows, because no layout hides any.
    open var indexPathsForVisibleRows: [IndexPath]? { paths }

    var paths: [IndexPath] {
        (0..<numberOfSections).flatMap { section in
            (0..<numberOfRows(inSection: section)).map { IndexPath(row: $0, section: section) }
        }
    }

    /// The number of sections; the data source is asked for it once after each reload of the table.
    open var numberOfSections: Int { currentRows.count }

    /// Returns the number of rows of a section; the data source is asked for it once after each reload of the table.
    open func numberOfRows(inSection section: Int) -> Int { currentRows[section] }

    private var currentRows: [Int] {
        if let rows { return rows }
        guard let dataSource else { return [] }
        let new = (0..<dataSource.numberOfSections(in: self)).map {
            dataSource.tableView(self, numberOfRowsInSection: $0)
        }
        rows = new
        return new
    }

    /// Asks the data source for all rows again, and clears the selection.
    open func reloadData() {
        setNeedsReload()
        for section in currentRows.indices {
            for row in 0..<currentRows[section] { _ = cellForRow(at: IndexPath(row: row, section: section)) }
        }
    }

    private func setNeedsReload() {
        rows = nil
        cells = [:]
        indexPathForSelectedRow = nil
    }

    /// Asks the data source for the cells of these rows again.
    open func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation) {
        for path in indexPaths { cells[path] = nil }
        for path in indexPaths { _ = cellForRow(at: path) }
    }

    /// Notifies the table of rows that were added to the data source.
    ///
    /// The data source's numbers of rows must have grown accordingly; otherwise the app stops, as on a phone.
    open func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation) { change(indexPaths, by: 1) }

    /// Notifies the table of rows that were removed from the data source.
    ///
    /// The data source's numbers of rows must have shrunk accordingly; otherwise the app stops, as on a phone.
    open func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation) { change(indexPaths, by: -1) }

    private func change(_ paths: [IndexPath], by step: Int) {
        var expected = currentRows
        for path in paths { expected[path.section] += step }
        reloadData()
        guard currentRows == expected else {
            fatalError(
                "the numbers of rows in the sections must be \(expected) after this update; the data source has "
                    + "\(currentRows)")
        }
    }

    /// Selects a row without calling the delegate.
    open func selectRow(at indexPath: IndexPath?, animated: Bool, scrollPosition: ScrollPosition) {
        indexPathForSelectedRow = indexPath
    }

    /// Deselects a row without calling the delegate.
    open func deselectRow(at indexPath: IndexPath, animated: Bool) {
        if indexPathForSelectedRow == indexPath { indexPathForSelectedRow = nil }
    }

    /// The position to which a row is scrolled, which has no effect here.
    public enum ScrollPosition: Int, Sendable {
        /// The table is not scrolled.
        case none = 0
        /// To the top.
        case top = 1
        /// To the middle.
        case middle = 2
        /// To the bottom.
        case bottom = 3
    }
}

/// The view of a row.
@preconcurrency @MainActor
open class UITableViewCell: UIView {
    /// The arrangement of a cell's labels; every cell has both labels here.
    public enum CellStyle: Int, Sendable {
        /// One label.
        case `default` = 0
        /// A second label on the right.
        case value1 = 1
        /// A second label on the right.
        case value2 = 2
        /// A second label below.
        case subtitle = 3
    }

    /// The symbol at the right edge of a cell.
    public enum AccessoryType: Int, Sendable {
        /// No symbol.
        case none = 0
        /// An arrow.
        case disclosureIndicator = 1
        /// A check mark.
        case checkmark = 3
    }

    /// The identifier of the cells of this kind.
    public let reuseIdentifier: String?
    /// The main label.
    open private(set) lazy var textLabel: UILabel? = UILabel()
    /// The second label.
    open private(set) lazy var detailTextLabel: UILabel? = UILabel()
    /// The view to which the app adds its own.
    open private(set) lazy var contentView = UIView(frame: bounds)
    /// The symbol at the right edge.
    open var accessoryType = AccessoryType.none

    /// Creates a cell of 390 × 44 points.
    public init(style: CellStyle, reuseIdentifier: String?) {
        self.reuseIdentifier = reuseIdentifier
        super.init(frame: CGRect(x: 0, y: 0, width: 390, height: 44))
        addSubview(contentView)
    }

    /// Creates a cell of the style `default`, because no storyboards are read here.
    public required init?(coder: NSCoder) {
        reuseIdentifier = nil
        super.init(coder: coder)
    }

    /// Called before a cell is reused, which never happens here.
    open func prepareForReuse() {}
}

/// The object that provides the rows of a table.
@preconcurrency @MainActor
public protocol UITableViewDataSource: NSObjectProtocol {
    /// Returns the number of rows of a section.
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
    /// Returns the cell of a row.
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
    /// Returns the number of sections.
    func numberOfSections(in tableView: UITableView) -> Int
    /// Returns the title above a section.
    func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String?
}

extension UITableViewDataSource {
    /// Returns 1.
    public func numberOfSections(in tableView: UITableView) -> Int { 1 }
    /// Returns `nil`.
    public func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? { nil }
}

/// The object that is notified of the user's actions on a table.
@preconcurrency @MainActor
public protocol UITableViewDelegate: NSObjectProtocol {
    /// Called when the user has tapped a row.
    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath)
    /// Returns the height of a row in points; never called here.
    func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat
}

extension UITableViewDelegate {
    /// Does nothing.
    public func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    /// Returns the table's ``UITableView/rowHeight``.
    public func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat {
        tableView.rowHeight
    }
}

/// A controller whose view is a table, and which is the table's data source and delegate.
@preconcurrency @MainActor
open class UITableViewController: UIViewController, UITableViewDataSource, UITableViewDelegate {
    private let style: UITableView.Style

    // The type is Apple's.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The table, which is the controller's view.
    open var tableView: UITableView! { view as? UITableView }

    /// Creates a controller of a table.
    public init(style: UITableView.Style) {
        self.style = style
        super.init(nibName: nil, bundle: nil)
    }

    /// Creates a controller of a plain table.
    override public convenience init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        self.init(style: .plain)
    }

    /// Creates a controller of a plain table, because no storyboards are read here.
    public required init?(coder: NSCoder) {
        style = .plain
        super.init(coder: coder)
    }

    override open func loadView() {
        let table = UITableView(frame: UIScreen.main.bounds, style: style)
        table.dataSource = self
        table.delegate = self
        view = table
    }

    /// Reloads the table if it has no rows yet.
    override open func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        if tableView.cellForRow(at: IndexPath(row: 0, section: 0)) == nil { tableView.reloadData() }
    }

    /// Returns 1.
    open func numberOfSections(in tableView: UITableView) -> Int { 1 }
    /// Returns 0.
    open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 0 }
    /// Returns a plain cell.
    open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        UITableViewCell(style: .default, reuseIdentifier: nil)
    }
    /// Returns `nil`.
    open func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? { nil }
    /// Does nothing.
    open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    /// Returns the table's ``UITableView/rowHeight``.
    open func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat {
        tableView.rowHeight
    }
}

extension IndexPath {
    /// Creates the path of a row in a section.
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
    /// The number of the section.
    public var section: Int { self[0] }
    /// The number of the row in its section.
    public var row: Int { self[1] }
}

extension SimulatedPhone {
    /// Taps a row of the table in front as the user does: the row is selected, and the delegate is called.
    ///
    /// When this returns, the app's main loop has done all work that results.
    ///
    /// - Parameters:
    ///   - indexPath: The row.
    ///   - device: The device.
    /// - Throws: ``ScreenError`` if there is no such row, rows cannot be selected, or the app is not in the foreground.
    public static func tapRow(at indexPath: IndexPath, on device: SimulatedDevice) throws(ScreenError) {
        try tapRow(indexPath.row, section: indexPath.section, on: device)
    }
}
