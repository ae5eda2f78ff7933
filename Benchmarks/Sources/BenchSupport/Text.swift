func fixed(_ value: Double, _ digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let whole = Int64((abs(value) * scale).rounded())
    let sign = value < 0 && whole > 0 ? "-" : ""
    if digits == 0 { return sign + "\(whole)" }
    let fraction = "\(whole % Int64(scale))"
    return sign + "\(whole / Int64(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
}

func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}

func padLeft(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}
