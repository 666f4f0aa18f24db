package io.delayqueue.actuate;

import io.delayqueue.actuate.response.OverviewResponse.Listener;
import io.delayqueue.actuate.response.OverviewResponse.Permits;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.listener.ManagedListener;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of this node. Thread-safe.
 *
 * @param registry null if the application has none
 */
public record LocalListeners(@Nullable DelayListenerRegistry registry) {

    List<Listener> all() {
        return registry == null
                ? List.of()
                : registry.getContainers().stream().map(LocalListeners::state).toList();
    }

    private static Listener state(ManagedListener listener) {
        return new Listener(
                listener.id(),
                listener.topic(),
                listener.kind().name().toLowerCase(Locale.ROOT),
                listener.isRunning(),
                listener.isPaused(),
                listener.isPausedEverywhere(),
                new Permits(listener.inUse(), listener.options().concurrency()));
    }

    ManagedListener required(String id) {
        ManagedListener found =
                registry == null ? null : registry.getContainer(id).orElse(null);
        if (found == null) {
            throw RejectedRequestException.notFound("There is no listener '" + id + "' on this node.");
        }
        return found;
    }
}
