package io.delayqueue.admin;

import io.delayqueue.Internal;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.Printable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Logs what operators do and publishes it as an event. Thread-safe. */
@Internal
public final class AuditLog {

    private static final Log log = LogFactory.getLog(AuditLog.class);

    private final EventBus events;

    /** Creates a log that publishes to a bus. */
    public AuditLog(EventBus events) {
        this.events = events;
    }

    /**
     * Logs and publishes an action that was done.
     *
     * @param by name of the user or HTTP client that acted; empty if unknown
     * @param action what was done, as in {@code replay}
     * @param topic the topic; empty if the action affects none
     * @param count number of affected messages, dead letters, listeners, topics or jobs
     */
    public void add(String by, String action, String topic, long count) {
        log(by, action, topic, count);
        events.publish(listener -> listener.administered(by, action, topic, count));
    }

    /** Logs an action that changed nothing, such as the replay of a dead letter that does not exist. */
    public void addUnchanged(String by, String action, String topic) {
        log(by, action, topic, 0);
    }

    private static void log(String by, String action, String topic, long count) {
        log.info("Action by " + Printable.of(by.isEmpty() ? "an unknown user" : by) + ": " + Printable.of(action)
                + ", topic " + Printable.of(topic) + ", count " + count);
    }
}
