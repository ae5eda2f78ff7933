import UIKit

@objc protocol PomodoroDelegate {
    func pomodoroDidEnd()
}

/// A pomodoro timer, as tutorials write it.
class PomodoroViewController: UIViewController, PomodoroDelegate {
    @IBOutlet weak var timeLabel: UILabel!
    @IBOutlet weak var statusLabel: UILabel!
    @IBOutlet private var startButton: UIButton!
    @IBInspectable var minutes: Int = 1

    @objc dynamic var secondsLeft = 0

    private var timer: Timer?
    private var displayLink: CADisplayLink?
    private var frames = 0
    private var leftAt: Date?
    private let counter = PomodoroCounter()
    weak var delegate: PomodoroDelegate?

    private let helpItem = UIBarButtonItem(
        title: "Help", style: .plain, target: nil, action: #selector(PomodoroViewController.help(_:)))

    private lazy var stopButton: UIButton = {
        let button = UIButton(type: .system)
        button.setTitle("Stop", for: .normal)
        button.addTarget(self, action: #selector(stop), for: .touchUpInside)
        return button
    }()

    override func viewDidLoad() {
        super.viewDidLoad()
        title = "Pomodoro"
        delegate = self
        let label = UILabel()
        view.addSubview(label)
        timeLabel = label
        let status = UILabel()
        view.addSubview(status)
        statusLabel = status
        startButton = UIButton(type: .system)
        startButton.setTitle("Start", for: .normal)
        startButton.addTarget(self, action: #selector(startTapped(_:)), for: .touchUpInside)
        startButton.addTarget(nil, action: #selector(PomodoroViewController.tapped(_:event:)), for: .allEvents)
        view.addSubview(startButton)
        view.addSubview(stopButton)

        let tap = UITapGestureRecognizer(target: self, action: #selector(labelTapped(_:)))
        label.accessibilityIdentifier = "time"
        label.addGestureRecognizer(tap)
        navigationItem.leftBarButtonItem = helpItem
        navigationItem.rightBarButtonItem = UIBarButtonItem(
            barButtonSystemItem: .done, target: self, action: #selector(self.done))

        NotificationCenter.default.addObserver(
            self, selector: #selector(didEnterBackground), name: UIApplication.didEnterBackgroundNotification,
            object: nil)
        NotificationCenter.default.addObserver(
            self, selector: #selector(willEnterForeground(notification:)),
            name: UIApplication.willEnterForegroundNotification, object: nil)
        NotificationCenter.default.addObserver(
            self, selector: #selector(counted), name: PomodoroCounter.counted, object: counter)
    }

    deinit {
        NotificationCenter.default.removeObserver(self)
    }

    @IBAction private func startTapped(_ sender: UIButton) {
        secondsLeft = minutes * 60
        timer = Timer.scheduledTimer(
            timeInterval: 1, target: self, selector: #selector(tick), userInfo: ["kind": "pomodoro"], repeats: true)
        displayLink = CADisplayLink(target: self, selector: #selector(step(_:)))
        displayLink?.add(to: .main, forMode: .common)
        counter.start()
        show()
    }

    @objc private func tick(_ timer: Timer) {
        assert((timer.userInfo as? [String: String])?["kind"] == "pomodoro")
        secondsLeft -= 1
        show()
        if secondsLeft == 0 { delegate?.pomodoroDidEnd() }
    }

    @objc func step(_ link: CADisplayLink) { frames += 1 }

    @objc func stop() {
        timer?.invalidate()
        displayLink?.invalidate()
        counter.stop()
        report("stopped after \(frames) frames and \(counter.count) counts")
        perform(#selector(hide(_:)), with: "stopped", afterDelay: 2)
    }

    func pomodoroDidEnd() { stop() }

    @objc fileprivate func hide(_ text: Any) { timeLabel.text = text as? String }

    @objc func tapped(_ sender: UIControl, event: UIEvent) {
        report("tapped \((sender as? UIButton)?.currentTitle ?? "")")
    }

    @objc func labelTapped(_ gesture: UITapGestureRecognizer) { timeLabel.text = "tapped in state \(gesture.state)" }

    @objc func help(_ sender: UIBarButtonItem) { report("help by \(sender.title ?? "")") }

    @objc func done() { report("done, which responds: \(responds(to: #selector(done)))") }

    @objc func counted() { if counter.count == 3 { report("counted three") } }

    fileprivate func report(_ text: String) { statusLabel.text = text }

    private func show() { timeLabel.text = "\(secondsLeft) s" }
}

// MARK: - The background

extension PomodoroViewController {
    @objc private func didEnterBackground() { leftAt = Date() }

    @objc func willEnterForeground(notification: NSNotification) {
        guard let leftAt = leftAt else { return }
        report("away for \(Int(Date().timeIntervalSince(leftAt).rounded())) s, \(notification.name.rawValue)")
    }
}
