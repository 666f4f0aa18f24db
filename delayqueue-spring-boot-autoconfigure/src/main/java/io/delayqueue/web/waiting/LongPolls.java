package io.delayqueue.web.waiting;

import io.delayqueue.coordination.Step;
import io.delayqueue.coordination.StepScheduler;
import io.delayqueue.coordination.StepScheduler.StepHandle;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The clients of this node that wait for an answer, of all doors together. A step looks every two seconds who of them has
 * hung up; it is scheduled only while somebody waits. Thread-safe.
 */
public final class LongPolls implements Step {

    private static final Duration INTERVAL = Duration.ofSeconds(2);

    private final int most;
    private final StepScheduler scheduler;
    private final Set<LongPoll> polls = new LinkedHashSet<>();
    private @Nullable StepHandle handle;

    /**
     * For so many.
     *
     * @param most how many may wait at once, 1 or more
     * @param scheduler calls the step
     */
    public LongPolls(int most, StepScheduler scheduler) {
        this.most = most;
        this.scheduler = scheduler;
    }

    /**
     * Has a client wait. The poll is to be closed when the request ends in whatever way.
     *
     * @param request which waits from now on, and is neither read from nor written to but by the poll's answer
     * @throws TooManyWaitingException if as many wait already as may
     */
    public synchronized LongPoll open(HttpServletRequest request) {
        if (polls.size() >= most) {
            throw new TooManyWaitingException(most);
        }
        LongPoll poll = new LongPoll(Peers.of(request), this::ended);
        polls.add(poll);
        if (handle == null) {
            handle = scheduler.schedule("clients that hung up", this);
        }
        return poll;
    }

    /** How many wait. */
    public synchronized int waiting() {
        return polls.size();
    }

    @Override
    public Duration step() {
        present().forEach(LongPoll::look);
        return INTERVAL;
    }

    private synchronized List<LongPoll> present() {
        return List.copyOf(polls);
    }

    private synchronized void ended(LongPoll poll) {
        polls.remove(poll);
        if (polls.isEmpty() && handle != null) {
            handle.cancel();
            handle = null;
        }
    }
}
