package io.delayqueue.container;

/** The life of a subscription. */
public interface SignalsControl {

    /** Begins to subscribe; Redis may be away. */
    void start();

    /** Called after each heartbeat that succeeded: the moment to notice a subscription that has gone silent. */
    void afterHeartbeat();

    /** Ends the subscription. */
    void stop();

    /** For signals that need no control. */
    static SignalsControl none() {
        return new SignalsControl() {
            @Override
            public void start() {}

            @Override
            public void afterHeartbeat() {}

            @Override
            public void stop() {}
        };
    }
}
