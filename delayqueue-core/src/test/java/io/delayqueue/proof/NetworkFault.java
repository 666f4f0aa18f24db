package io.delayqueue.proof;

import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import java.time.Duration;

/** A fault of the network between nodes and Redis. */
enum NetworkFault {
    SLOW_WITH_JITTER,
    CUT,
    REJECTED,
    /** Requests on established connections are lost. New connections work. */
    REQUESTS_LOST,
    /** Replies on established connections are lost. New connections work. */
    REPLIES_LOST,
    /** Established connections are closed. Requests on new connections are lost. */
    NEW_CONNECTIONS_UNRESPONSIVE;

    void applyTo(FaultProxy proxy) {
        switch (this) {
            case SLOW_WITH_JITTER ->
                proxy.delay(
                        Duration.ofMillis(20),
                        Duration.ofMillis(80),
                        Direction.CLIENT_TO_SERVER,
                        Direction.SERVER_TO_CLIENT);
            case CUT -> proxy.cut();
            case REJECTED -> proxy.refuse();
            case REQUESTS_LOST -> proxy.halfOpen(Direction.CLIENT_TO_SERVER);
            case REPLIES_LOST -> proxy.halfOpen(Direction.SERVER_TO_CLIENT);
            case NEW_CONNECTIONS_UNRESPONSIVE -> {
                proxy.blackHoleNew(Direction.CLIENT_TO_SERVER);
                proxy.disconnect();
            }
        }
    }

    /** Whether sends fail during the fault. */
    boolean failsSends() {
        return this != SLOW_WITH_JITTER;
    }

    /** Whether the test never ends the fault, so that the node must reconnect. */
    boolean isPermanent() {
        return this == REQUESTS_LOST || this == REPLIES_LOST;
    }
}
