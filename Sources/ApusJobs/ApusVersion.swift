/// The version of Apus.
public enum ApusVersion {
    /// The version, as in CHANGELOG.md.
    public static let current = "0.2.0"
}
