package io.delayqueue.proof;

import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import java.time.Duration;

/** What a network may do to a queue. */
enum NetworkFault {
    SLOW_AND_UNSTEADY,
    CUT,
    REJECTED,
    /** Of the connections that stand; who dials anew is served. */
    REQUESTS_LOST,
    ANSWERS_LOST,
    /** The connections that stand end, and on new ones nothing arrives. */
    NEWCOMERS_UNHEARD;

    void happenTo(FaultProxy proxy) {
        switch (this) {
            case SLOW_AND_UNSTEADY ->
                proxy.delay(
                        Duration.ofMillis(20),
                        Duration.ofMillis(80),
                        Direction.CLIENT_TO_SERVER,
                        Direction.SERVER_TO_CLIENT);
            case CUT -> proxy.cut();
            case REJECTED -> proxy.refuse();
            case REQUESTS_LOST -> proxy.halfOpen(Direction.CLIENT_TO_SERVER);
            case ANSWERS_LOST -> proxy.halfOpen(Direction.SERVER_TO_CLIENT);
            case NEWCOMERS_UNHEARD -> {
                proxy.blackHoleNew(Direction.CLIENT_TO_SERVER);
                proxy.disconnect();
            }
        }
    }

    /** Whether sends fail meanwhile. */
    boolean isFatal() {
        return this != SLOW_AND_UNSTEADY;
    }

    /** Nobody ends this one: the queue has to dial anew. */
    boolean isForGood() {
        return this == REQUESTS_LOST || this == ANSWERS_LOST;
    }
}
