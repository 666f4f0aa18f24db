package io.delayqueue.sample;

import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Logs the addresses of the page and the dashboard when the application is ready. */
@Component
final class ReadyMessage {

    private static final Logger log = LoggerFactory.getLogger(ReadyMessage.class);

    private final Environment environment;

    ReadyMessage(Environment environment) {
        this.environment = environment;
    }

    @EventListener(ApplicationReadyEvent.class)
    void ready() {
        log.info(text());
    }

    /** The management server may have its own port and base path. */
    String text() {
        return environment
                .resolvePlaceholders("""
                The shop is open.

                  Open   http://localhost:${local.server.port}
                  Watch  http://localhost:${local.management.port:${local.server.port}}${management.endpoints.web.base-path:/actuator}/delayqueuedashboard
                         http://localhost:${local.management.port:${local.server.port}}${management.endpoints.web.base-path:/actuator}/delayqueue
                         http://localhost:${local.management.port:${local.server.port}}${management.endpoints.web.base-path:/actuator}/health
                         http://localhost:${local.management.port:${local.server.port}}${management.endpoints.web.base-path:/actuator}/prometheus
                  Or try curl -i http://localhost:${local.server.port}/orders \\
                           -H 'Content-Type: application/json' -d '{"item":"Teapot","amount":24.50}'
                         curl -i -X POST http://localhost:${local.server.port}/orders/ID/pay
                         curl -s http://localhost:${local.server.port}/orders

                  An order that isn't paid within ${sample.payment-window} is cancelled by its delayed message.
                  Text messages about deliveries keep to the rate of their provider: ${delayqueue.topics.text-message.rate}.
                  Ctrl-C closes the shop. Its orders stay in %s; delete it to start without orders.
                """)
                .formatted(Path.of(environment.getProperty("sample.data", "."))
                        .toAbsolutePath()
                        .normalize());
    }
}
