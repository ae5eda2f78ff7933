/// Where the rules of time zones come from.
///
/// Answers are kept: a zone is the same until ``refresh()`` has noticed that it is not. From any thread.
public protocol TimeZones: Sendable {
    /// The zone with an IANA name.
    ///
    /// - Parameter name: The name, such as `Europe/Berlin`.
    /// - Returns: The zone.
    /// - Throws: ``ZoneError`` with near names if there is no such zone.
    func zone(_ name: String) throws(ZoneError) -> ZoneDatabase.Zone

    /// Looks whether the zones that were asked for are as they were.
    ///
    /// - Returns: True if the rules of one of them are others by now, or if it has come or gone.
    func refresh() -> Bool
}
