#if !SimulatedApple
    @main
    enum WithoutTrait {
        static func main() { print("Without the trait SimulatedApple there is no app.") }
    }
#endif
