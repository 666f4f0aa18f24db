package io.delayqueue.container;

/** Starts and stops the subscription for signals. */
public interface SignalsControl {

    /** Starts to subscribe. Redis may be unavailable. */
    void start();

    /** Called after each successful heartbeat, to detect a subscription that no longer receives signals. */
    void afterHeartbeat();

    /** Ends the subscription. */
    void stop();

    /** Returns a control that does nothing. */
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
