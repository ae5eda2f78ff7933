extension String {
    /// The FNV-1a hash of the text, which is the same in every process, unlike the standard library's.
    package var stableHash: UInt64 {
        utf8.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    }
}
