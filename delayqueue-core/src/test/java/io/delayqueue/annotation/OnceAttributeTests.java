package io.delayqueue.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.listener.DeliveryHandler;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The attribute once wraps the handler. */
class OnceAttributeTests {

    /** Records the listeners that it makes idempotent. */
    static class Recording implements OnceHandling {

        final List<String> methods = new ArrayList<>();
        final List<String> calls = new ArrayList<>();

        @Override
        public DeliveryHandler once(OnceMethod method, DeliveryHandler handler) {
            methods.add(method.listener() + " " + method.type().getSimpleName() + "."
                    + method.method().getName());
            return deliveries -> {
                calls.add(deliveries.get(0).id());
                return handler.handle(deliveries);
            };
        }
    }

    static class Listeners {

        final List<String> handled = new ArrayList<>();

        @DelayListener(topic = "a", id = "${a.id:first}", once = "true")
        void once(String payload) {
            handled.add(payload);
        }

        @DelayListener(topic = "b", once = "${b.once:true}")
        void batch(List<String> payloads) {
            handled.addAll(payloads);
        }

        @DelayListener(topic = "c", once = "#{1 > 2}")
        void notOnce(String payload) {
            handled.add(payload);
        }

        @DelayListener("d")
        void byDefaultNotOnce(String payload) {
            handled.add(payload);
        }
    }

    @Test
    void handlersOfListenersWithOnceAreWrapped() throws Exception {
        try (ListenerApplication application = ListenerApplication.start(Recording.class, Listeners.class)) {
            Recording recording = application.bean(Recording.class);
            String batch = application.registry().getListenerIds().stream()
                    .filter(id -> id.endsWith("batch"))
                    .findFirst()
                    .orElseThrow();
            assertThat(recording.methods).containsExactlyInAnyOrder("first Listeners.once", batch + " Listeners.batch");

            assertThat(application.container("first").spec.handler().handle(List.of(TestDelivery.of("payload"))))
                    .isNull();

            assertThat(recording.calls).containsExactly("o-1");
            assertThat(application.bean(Listeners.class).handled).containsExactly("payload");
        }
    }
}
