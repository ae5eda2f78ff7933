# A day of Ruby's timers. Ruby repeats a wait until the clock has passed the deadline, so each lasts a nanosecond longer.
require 'timeout'

def uptime = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

def report(name)
  begin_at = uptime
  yield
  puts "#{name}: #{uptime - begin_at} ns"
end

report('sleep') { 1440.times { sleep 60 } }
report('Timeout') do
  24.times do
    Timeout.timeout(3600) { sleep }
    raise 'it has not timed out'
  rescue Timeout::Error
    # as it has to
  end
end
report('Queue') { Thread.new { sleep 86_400 }.join }
