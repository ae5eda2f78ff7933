import PlatformC

/// The group that a user has alone, on systems that give each user one (`USERGROUPS_ENAB`, login.defs(5)).
enum PrivateGroup {
    private static let ofEffectiveUser = find(geteuid())

    /// The effective user's; `nil` if that user has none. The user database is asked once.
    static func ofThisProcess() -> gid_t? { ofEffectiveUser }

    /// Whether a user's primary group is the user's own, by its name and its members.
    static func isPrivate(user: String, group: String, members: [String]) -> Bool {
        group == user && members.allSatisfy { $0 == user }
    }

    private static func find(_ user: uid_t) -> gid_t? {
        var buffer = [CChar](repeating: 0, count: 64 * 1024)
        var person = passwd()
        var foundPerson: UnsafeMutablePointer<passwd>?
        guard getpwuid_r(user, &person, &buffer, buffer.count, &foundPerson) == 0, foundPerson != nil,
            let name = person.pw_name.map({ String(cString: $0) })
        else { return nil }
        var entry = group()
        var foundGroup: UnsafeMutablePointer<group>?
        guard getgrgid_r(person.pw_gid, &entry, &buffer, buffer.count, &foundGroup) == 0, foundGroup != nil,
            let groupName = entry.gr_name.map({ String(cString: $0) })
        else { return nil }
        var members: [String] = []
        var next = entry.gr_mem
        while let member = next?.pointee {
            members.append(String(cString: member))
            next = next?.advanced(by: 1)
        }
        return isPrivate(user: name, group: groupName, members: members) ? person.pw_gid : nil
    }
}
