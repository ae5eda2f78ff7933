extension String {
    /// The FNV-1a hash of the text; unlike the standard library's hash, it is the same in every process.
    package var stableHash: UInt64 {
        utf8.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    }
}
