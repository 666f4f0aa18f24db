package io.delayqueue.listener;

import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.listener.ListenerStatus.RunningHandler;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.listener.ListenerStatus.Unavailable;
import io.delayqueue.message.QueueKind;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The status of a listener that is running, with one permit and without attempts. */
public final class ListenerStatusBuilder {

    private final String id;
    private final String topic;
    private QueueKind kind = QueueKind.MESSAGES;
    private State state = State.RUNNING;
    private int running;
    private int concurrency = 1;
    private @Nullable Unavailable unavailable;
    private @Nullable RunningHandler oldest;
    private Attempts attempts = Attempts.NONE;
    private Duration usual = Duration.ZERO;
    private Duration youngest = Duration.ZERO;
    private Map<String, Attempts> byHeader = Map.of();

    private ListenerStatusBuilder(String id, String topic) {
        this.id = id;
        this.topic = topic;
    }

    public static ListenerStatusBuilder listener(String id, String topic) {
        return new ListenerStatusBuilder(id, topic);
    }

    public ListenerStatusBuilder kind(QueueKind value) {
        kind = value;
        return this;
    }

    public ListenerStatusBuilder state(State value) {
        state = value;
        return this;
    }

    public ListenerStatusBuilder handlers(int runningNow, int permits) {
        running = runningNow;
        concurrency = permits;
        return this;
    }

    public ListenerStatusBuilder unavailable(@Nullable Unavailable value) {
        unavailable = value;
        return this;
    }

    public ListenerStatusBuilder oldest(@Nullable RunningHandler value) {
        oldest = value;
        return this;
    }

    public ListenerStatusBuilder attempts(Attempts value) {
        attempts = value;
        return this;
    }

    public ListenerStatusBuilder times(Duration usualTime, Duration youngestTime) {
        usual = usualTime;
        youngest = youngestTime;
        return this;
    }

    public ListenerStatusBuilder byHeader(Map<String, Attempts> value) {
        byHeader = value;
        return this;
    }

    public ListenerStatus build() {
        return new ListenerStatus(
                id,
                topic,
                kind,
                state,
                running,
                concurrency,
                unavailable,
                oldest,
                attempts,
                usual,
                youngest,
                new TreeMap<>(byHeader));
    }
}
