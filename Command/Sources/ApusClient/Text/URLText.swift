/// URLs as people see them.
package enum URLText {
    /// A URL without its password, which would otherwise be in listings and logs.
    package static func shown(_ url: String) -> String {
        let scalars = url.unicodeScalars
        guard let scheme = scalars.firstRange(of: "://".unicodeScalars) else { return url }
        let authorityScalars = scalars[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authorityScalars.lastIndex(of: "@"), let colon = authorityScalars[..<at].firstIndex(of: ":")
        else {
            return url
        }
        return String(scalars[...colon]) + "***" + String(scalars[at...])
    }
}
