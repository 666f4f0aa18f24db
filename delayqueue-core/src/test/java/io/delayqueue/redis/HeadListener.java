package io.delayqueue.redis;

import io.delayqueue.redis.SignalSource.SignalListener;
import java.util.Set;

/** Adds the due time of each signalled head, and 0 for each subscription. */
class HeadListener implements SignalListener {

    private final Set<Long> heard;

    HeadListener(Set<Long> heard) {
        this.heard = heard;
    }

    @Override
    public void headAt(long dueMillis) {
        heard.add(dueMillis);
    }

    @Override
    public void dueMessagesLeft(String consumer) {}

    @Override
    public void resubscribed() {
        heard.add(0L);
    }
}
