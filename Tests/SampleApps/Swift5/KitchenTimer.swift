import UIKit

/// A screen with a countdown, as tutorials build it without a storyboard.
///
/// The countdown keeps the date of its end, so it is still correct after the app was in the background.
class KitchenTimerViewController: UIViewController {
    private let timeLabel = UILabel()
    private let startButton = UIButton(type: .system)
    private let picker = UIDatePicker()
    private var link: CADisplayLink?
    private var end: CFTimeInterval = 0

    override func viewDidLoad() {
        super.viewDidLoad()
        title = "Kitchen timer"
        view.backgroundColor = .systemBackground
        timeLabel.font = .monospacedDigitSystemFont(ofSize: 64, weight: .light)
        timeLabel.textAlignment = .center
        timeLabel.text = "--:--"
        startButton.setTitle("Start", for: .normal)
        // On Apple's systems: addTarget(self, action: #selector(start), for: .touchUpInside)
        startButton.addAction(UIAction { [weak self] _ in self?.start() }, for: .touchUpInside)
        picker.datePickerMode = .countDownTimer
        picker.countDownDuration = 60

        let stack = UIStackView(arrangedSubviews: [timeLabel, picker, startButton])
        stack.axis = .vertical
        stack.spacing = 16
        stack.translatesAutoresizingMaskIntoConstraints = false
        view.addSubview(stack)
        NSLayoutConstraint.activate([
            stack.centerXAnchor.constraint(equalTo: view.centerXAnchor),
            stack.topAnchor.constraint(equalTo: view.safeAreaLayoutGuide.topAnchor, constant: 40),
        ])
    }

    private func start() {
        end = CACurrentMediaTime() + picker.countDownDuration
        startButton.isEnabled = false
        // On Apple's systems: CADisplayLink(target: self, selector: #selector(tick))
        let link = CADisplayLink { [weak self] _ in self?.tick() }
        link.preferredFramesPerSecond = 10
        link.add(to: .main, forMode: .common)
        self.link = link
    }

    private func tick() {
        let left = max(0, Int((end - CACurrentMediaTime()).rounded(.up)))
        timeLabel.text = String(format: "%02d:%02d", left / 60, left % 60)
        guard left == 0 else { return }
        link?.invalidate()
        link = nil
        startButton.isEnabled = true
        UIView.animate(withDuration: 0.5) { self.timeLabel.alpha = 0.5 }
        let alert = UIAlertController(title: "Done", message: "The time is over.", preferredStyle: .alert)
        alert.addAction(UIAlertAction(title: "OK", style: .default) { _ in self.timeLabel.text = "--:--" })
        present(alert, animated: true)
    }

    var shownTime: String? { timeLabel.text }
}

class KitchenTimerAppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let window = UIWindow(frame: UIScreen.main.bounds)
        window.rootViewController = UINavigationController(rootViewController: KitchenTimerViewController())
        window.makeKeyAndVisible()
        self.window = window
        return true
    }
}
