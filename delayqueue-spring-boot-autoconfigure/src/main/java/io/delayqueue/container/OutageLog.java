package io.delayqueue.container;

import io.delayqueue.event.EventBus;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** One voice for all steps that fail: the first failure, then one line a minute, so that no outage floods the log. */
final class OutageLog {

    private static final Log log = LogFactory.getLog(OutageLog.class);
    private static final long PAUSE = Duration.ofMinutes(1).toNanos();
    private static final long OVER = Duration.ofSeconds(10).toNanos();

    private final EventBus events;
    private final LongSupplier nanoTime;
    private long first;
    private long latest;
    private long lastLine;
    private int count;

    OutageLog(EventBus events, LongSupplier nanoTime) {
        this.events = events;
        this.nanoTime = nanoTime;
    }

    void failed(String step, Throwable failure) {
        Duration since = note(step, failure);
        events.publish(to -> to.stepFailed(step, failure, since));
    }

    private synchronized Duration note(String step, Throwable failure) {
        long now = nanoTime.getAsLong();
        if (count == 0 || now - latest > OVER) {
            first = now;
            count = 0;
        }
        latest = now;
        count++;
        if (count == 1) {
            lastLine = now;
            log.warn("Step " + step + " failed and is tried again until it succeeds: " + failure.getMessage(), failure);
        } else if (now - lastLine > PAUSE) {
            lastLine = now;
            log.warn("Steps have failed " + count + " times in "
                    + Duration.ofNanos(now - first).toSeconds() + " s, the last one, " + step + ", with: "
                    + failure.getMessage());
        }
        return Duration.ofNanos(now - first);
    }
}
