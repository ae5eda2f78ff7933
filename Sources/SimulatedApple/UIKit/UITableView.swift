import ApusBackground
public import ApusDevice
public import SimulatedAppleCore

/// A list of rows in sections. It asks its data source as on a phone; all rows count as visible, and no heights are
/// asked for, because there is no layout.
///
/// Rules: Apple, documentation/uikit/uitableview.
@preconcurrency @MainActor
open class UITableView: UIView {
    /// What it looks like. Without effect here.
    public enum Style: Int, Sendable {
        /// Rows one below the other.
        case plain = 0
        /// Groups.
        case grouped = 1
        /// Groups with margins.
        case insetGrouped = 2
    }

    /// How rows come and go. Nothing is animated here.
    public enum RowAnimation: Int, Sendable {
        /// They fade.
        case fade = 0
        /// They move.
        case right = 1
        /// They move.
        case left = 2
        /// At once.
        case none = 5
        /// As suits the table.
        case automatic = 100
    }

    /// Gives the rows.
    open weak var dataSource: (any UITableViewDataSource)? {
        didSet {
            OptionalMethods.check(dataSource, of: (any UITableViewDataSource).self) {
                $0 is any UITableViewDataSource.Type
            }
            setNeedsReload()
        }
    }
    /// Gets the user's actions.
    open weak var delegate: (any UITableViewDelegate)? {
        didSet {
            OptionalMethods.check(delegate, of: (any UITableViewDelegate).self) { $0 is any UITableViewDelegate.Type }
        }
    }
    /// What it looks like.
    public let style: Style
    /// The height of rows, in points. Without effect here.
    open var rowHeight: CGFloat = -1
    /// Whether rows can be selected.
    open var allowsSelection = true
    /// The row that is selected.
    open private(set) var indexPathForSelectedRow: IndexPath?

    private var makers: [String: () -> UITableViewCell] = [:]
    private var cells: [IndexPath: UITableViewCell] = [:]
    private var rows: [Int]?

    /// A table at a place.
    public init(frame: CGRect, style: Style) {
        self.style = style
        super.init(frame: frame)
    }

    /// A plain table at a place.
    override public convenience init(frame: CGRect) { self.init(frame: frame, style: .plain) }

    /// There are no storyboards here: a table of no size.
    public required init?(coder: NSCoder) {
        style = .plain
        super.init(coder: coder)
    }

    // MARK: Cells

    /// Has cells with that identifier made by a closure. It stands for the form with a class: a class of the app's
    /// cannot be instantiated by its name on Linux.
    open func register(
        forCellReuseIdentifier identifier: String,
        _ make: @escaping (UITableViewCell.CellStyle, String) -> UITableViewCell
    ) { makers[identifier] = { make(.default, identifier) } }

    /// Has plain cells made for an identifier. A class of the app's traps with the line that the app has to write here:
    /// ``register(forCellReuseIdentifier:_:)``.
    open func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {
        guard let cellClass else {
            makers[identifier] = nil
            return
        }
        precondition(
            cellClass == UITableViewCell.self,
            "on Linux no cell can be made from its class; write "
                + "tableView.register(forCellReuseIdentifier: \"\(identifier)\") { "
                + "\(cellClass)(style: $0, reuseIdentifier: $1) }")
        register(forCellReuseIdentifier: identifier) { UITableViewCell(style: $0, reuseIdentifier: $1) }
    }

    /// A new cell for a row. Nothing is reused here. Without a registration it traps, as on a phone.
    open func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
        guard let make = makers[identifier] else {
            preconditionFailure("no cell is registered for “\(identifier)”; call tableView.register first")
        }
        return make()
    }

    /// A new cell, or `nil` without a registration.
    open func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? { makers[identifier]?() }

    /// The cell of a row, asked for once until the row is reloaded; `nil` for a row that is not there.
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

    /// All rows: there is no layout that would hide some.
    open var indexPathsForVisibleRows: [IndexPath]? { paths }

    var paths: [IndexPath] {
        (0..<numberOfSections).flatMap { section in
            (0..<numberOfRows(inSection: section)).map { IndexPath(row: $0, section: section) }
        }
    }

    /// How many sections there are. The data source is asked once until the table is reloaded.
    open var numberOfSections: Int { currentRows.count }

    /// How many rows a section has. The data source is asked once until the table is reloaded.
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

    /// Asks the data source anew, and forgets the selection.
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

    /// Asks for these rows' cells anew.
    open func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation) {
        for path in indexPaths { cells[path] = nil }
        for path in indexPaths { _ = cellForRow(at: path) }
    }

    /// Rows are there now. The data source must have them: as on a phone, the counts have to agree.
    open func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation) { change(indexPaths, by: 1) }

    /// Rows are not there any more. The counts have to agree with the data source.
    open func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation) { change(indexPaths, by: -1) }

    private func change(_ paths: [IndexPath], by step: Int) {
        var expected = currentRows
        for path in paths { expected[path.section] += step }
        reloadData()
        precondition(
            currentRows == expected,
            "the data source has \(currentRows) rows, and after this update there have to be \(expected)")
    }

    /// Selects a row. The delegate is not called.
    open func selectRow(at indexPath: IndexPath?, animated: Bool, scrollPosition: ScrollPosition) {
        indexPathForSelectedRow = indexPath
    }

    /// Deselects a row. The delegate is not called.
    open func deselectRow(at indexPath: IndexPath, animated: Bool) {
        if indexPathForSelectedRow == indexPath { indexPathForSelectedRow = nil }
    }

    /// Where a row is scrolled to. Without effect here.
    public enum ScrollPosition: Int, Sendable {
        /// Nowhere.
        case none = 0
        /// To the top.
        case top = 1
        /// To the middle.
        case middle = 2
        /// To the bottom.
        case bottom = 3
    }
}

/// A row of a table.
@preconcurrency @MainActor
open class UITableViewCell: UIView {
    /// Which labels it has. All have both here.
    public enum CellStyle: Int, Sendable {
        /// One text.
        case `default` = 0
        /// The other text on the right.
        case value1 = 1
        /// The other text on the right.
        case value2 = 2
        /// The other text below.
        case subtitle = 3
    }

    /// What is on the right.
    public enum AccessoryType: Int, Sendable {
        /// Nothing.
        case none = 0
        /// An arrow.
        case disclosureIndicator = 1
        /// A check mark.
        case checkmark = 3
    }

    /// What cells like this one are called.
    public let reuseIdentifier: String?
    /// The text.
    open private(set) lazy var textLabel: UILabel? = UILabel()
    /// The other text.
    open private(set) lazy var detailTextLabel: UILabel? = UILabel()
    /// What the app's own views lie in.
    open private(set) lazy var contentView = UIView(frame: bounds)
    /// What is on the right.
    open var accessoryType = AccessoryType.none

    /// A row.
    public init(style: CellStyle, reuseIdentifier: String?) {
        self.reuseIdentifier = reuseIdentifier
        super.init(frame: CGRect(x: 0, y: 0, width: 390, height: 44))
        addSubview(contentView)
    }

    /// There are no storyboards here: a row of the style `default`.
    public required init?(coder: NSCoder) {
        reuseIdentifier = nil
        super.init(coder: coder)
    }

    /// For subclasses, before the cell is used again. Nothing is reused here, so it is not called.
    open func prepareForReuse() {}
}

/// Gives a table its rows.
@preconcurrency @MainActor
public protocol UITableViewDataSource: NSObjectProtocol {
    /// How many rows a section has.
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
    /// The cell of a row.
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
    /// How many sections there are.
    func numberOfSections(in tableView: UITableView) -> Int
    /// What stands above a section.
    func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String?
}

extension UITableViewDataSource {
    /// One.
    public func numberOfSections(in tableView: UITableView) -> Int { 1 }
    /// Nothing.
    public func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? { nil }
}

/// Gets the user's actions on a table.
@preconcurrency @MainActor
public protocol UITableViewDelegate: NSObjectProtocol {
    /// The user has tapped a row.
    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath)
    /// How high a row is, in points. It is not asked for here.
    func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat
}

extension UITableViewDelegate {
    /// Does nothing.
    public func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    /// As the table has it.
    public func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat {
        tableView.rowHeight
    }
}

/// A controller of a table, whose data source and delegate it is.
@preconcurrency @MainActor
open class UITableViewController: UIViewController, UITableViewDataSource, UITableViewDelegate {
    private let style: UITableView.Style

    // The type is Apple's.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The table: the controller's view.
    open var tableView: UITableView! { view as? UITableView }

    /// A controller of a table.
    public init(style: UITableView.Style) {
        self.style = style
        super.init(nibName: nil, bundle: nil)
    }

    /// A controller of a plain table.
    override public convenience init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        self.init(style: .plain)
    }

    /// There are no storyboards here: a controller of a plain table.
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

    /// The rows are asked for when the table appears for the first time.
    override open func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        if tableView.cellForRow(at: IndexPath(row: 0, section: 0)) == nil { tableView.reloadData() }
    }

    /// One.
    open func numberOfSections(in tableView: UITableView) -> Int { 1 }
    /// None.
    open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 0 }
    /// A plain cell.
    open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        UITableViewCell(style: .default, reuseIdentifier: nil)
    }
    /// Nothing.
    open func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? { nil }
    /// Does nothing.
    open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    /// As the table has it.
    open func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat {
        tableView.rowHeight
    }
}

extension IndexPath {
    /// A row of a section.
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
    /// The section.
    public var section: Int { self[0] }
    /// The row in the section.
    public var row: Int { self[1] }
}

extension SimulatedPhone {
    /// The user taps a row of the table in front: it is selected, and the delegate is called. The work of the main loop that
    /// this makes is done when this returns.
    ///
    /// - Parameters:
    ///   - indexPath: The row.
    ///   - device: The device.
    /// - Throws: ``ScreenError`` when there is no such row, rows cannot be selected, or the app is not in front.
    public static func tapRow(at indexPath: IndexPath, on device: SimulatedDevice) throws(ScreenError) {
        try tapRow(indexPath.row, section: indexPath.section, on: device)
    }
}
