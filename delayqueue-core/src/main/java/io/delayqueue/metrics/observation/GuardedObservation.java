package io.delayqueue.metrics.observation;

import io.delayqueue.event.FailureLog;
import io.micrometer.observation.Observation;
import io.micrometer.observation.Observation.Scope;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** An observation whose failures are only logged, such as exceptions of a convention or an observation handler. */
final class GuardedObservation {

    private static final Log log = LogFactory.getLog(GuardedObservation.class);

    private final ObservationRegistry registry;
    private final Observation observation;

    private GuardedObservation(ObservationRegistry registry, Observation observation) {
        this.registry = registry;
        this.observation = observation;
    }

    /** An open scope. */
    interface OpenScope extends AutoCloseable {

        @Override
        void close();
    }

    /** Starts an observation. If that fails, returns one that does nothing. */
    static GuardedObservation start(ObservationRegistry registry, Supplier<Observation> notStarted) {
        try {
            return new GuardedObservation(registry, notStarted.get().start());
        } catch (Throwable e) { // a message must not be rejected or dead-lettered because its observation fails
            FailureLog.log(log::warn, "An observation could not be started. The operation continues without it", e);
            return new GuardedObservation(registry, Observation.NOOP);
        }
    }

    /** Opens a scope. If that fails, returns one that does nothing. The same thread must close it. */
    OpenScope open() {
        Scope outer = registry.getCurrentObservationScope();
        try {
            Scope opened = observation.openScope();
            return () -> close(opened, outer);
        } catch (Throwable e) {
            FailureLog.log(
                    log::warn, "A scope of an observation could not be opened. The operation continues without it", e);
            // the registry has set the scope before the handler failed
            Scope incomplete = registry.getCurrentObservationScope();
            if (incomplete != null && incomplete != outer) {
                close(incomplete, outer);
            }
            return () -> {};
        }
    }

    private void close(Scope scope, @Nullable Scope outer) {
        try {
            scope.close();
        } catch (Throwable e) {
            FailureLog.log(log::warn, "A scope of an observation could not be closed", e);
            registry.setCurrentObservationScope(outer);
        }
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
