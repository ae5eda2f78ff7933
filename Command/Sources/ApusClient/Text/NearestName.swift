import ApusCalendar

/// Finds the known name that was probably meant by an unknown one.
package enum NearestName {
    /// Returns the known name with the smallest edit distance from `name`.
    ///
    /// The result is `nil` if that distance is more than a third of the longer name's length.
    package static func of(_ name: String, among names: [String]) -> String? {
        let bytes = Array(name.utf8)
        let near = names.map { (name: $0, distance: editDistance(bytes, Array($0.utf8))) }
            .filter { $0.distance * 3 <= max(bytes.count, $0.name.utf8.count) }
        return near.min { $0.distance < $1.distance }?.name
    }
}
