// A day of a Java virtual machine's timers. Each kind waits 24 hours.
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

public class Day {
    static long begin, uptime;

    static void report(String name) {
        System.out.println(name + ": " + (System.currentTimeMillis() - begin) + " ms, "
            + (System.nanoTime() - uptime) + " ns");
    }

    static void restart() {
        begin = System.currentTimeMillis();
        uptime = System.nanoTime();
    }

    public static void main(String[] arguments) throws Exception {
        restart();
        for (int minute = 0; minute < 1440; minute++) Thread.sleep(60_000);
        report("Thread.sleep");
        restart();
        var executor = Executors.newScheduledThreadPool(2);
        var ticks = new CountDownLatch(1440);
        executor.scheduleAtFixedRate(ticks::countDown, 1, 1, TimeUnit.MINUTES);
        executor.schedule(() -> report("a delay"), 12, TimeUnit.HOURS);
        ticks.await();
        executor.shutdown();
        report("ScheduledExecutorService");
    }
}
