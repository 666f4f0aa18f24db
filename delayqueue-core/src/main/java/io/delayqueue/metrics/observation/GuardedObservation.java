package io.delayqueue.metrics.observation;

import io.delayqueue.event.FailureLog;
import io.micrometer.observation.Observation;
import io.micrometer.observation.Observation.Scope;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** An observation whose failures are only logged, such as exceptions of a convention or an observation handler. */
final class GuardedObservation {

    private static final Log log = LogFactory.getLog(GuardedObservation.class);

    private final Observation observation;

    private GuardedObservation(Observation observation) {
        this.observation = observation;
    }

    /** Starts an observation. If that fails, returns one that does nothing. */
    static GuardedObservation start(Supplier<Observation> notStarted) {
        try {
            return new GuardedObservation(notStarted.get().start());
        } catch (Throwable e) { // a message must not be rejected or dead-lettered because its observation fails
            FailureLog.log(
                    log::warn, "An observation could not be started. The send or handling continues without it", e);
            return new GuardedObservation(Observation.NOOP);
        }
    }

    /** Opens a scope. The same thread must close it. */
    Scope open() {
        return observation.openScope();
    }

    /** Ends the observation. Can be called by any thread. */
    void end(@Nullable Throwable error) {
        try {
            if (error != null) {
                observation.error(error);
            }
            observation.stop();
        } catch (Throwable e) { // the methods of a user's exception may throw, too
            FailureLog.log(log::warn, "An observation could not be ended", e);
        }
    }
}
