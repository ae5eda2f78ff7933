import PlatformC

enum ProcessorCount {
    /// How many processors the machine has in use; at least 1.
    static var active: Int {
        #if canImport(Darwin)
            max(1, sysconf(_SC_NPROCESSORS_ONLN))
        #else
            max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        #endif
    }
}
