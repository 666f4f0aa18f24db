package io.delayqueue.metrics.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.Observation.Scope;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** An observation that hurts nobody: what its convention or a handler throws at start or end is logged, and that is all. */
final class Watch {

    private static final Log log = LogFactory.getLog(Watch.class);

    private final Observation observation;

    private Watch(Observation observation) {
        this.observation = observation;
    }

    /** Starts an observation; without one if it can't be started. */
    static Watch start(Supplier<Observation> notStarted) {
        try {
            return new Watch(notStarted.get().start());
        } catch (RuntimeException e) { // a message must not be refused or die since nobody can watch
            log.warn("An observation could not be started; what it is about goes on without it", e);
            return new Watch(Observation.NOOP);
        }
    }

    /** To be closed by the same thread. */
    Scope open() {
        return observation.openScope();
    }

    /** Ends the observation, from any thread. */
    void end(@Nullable Throwable error) {
        try {
            if (error != null) {
                observation.error(error);
            }
            observation.stop();
        } catch (RuntimeException e) {
            log.warn("An observation could not be ended", e);
        }
    }
}
