package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.actuate.health.DelayQueueHealthIndicator;
import io.delayqueue.jdbc.database.Databases;
import io.delayqueue.jdbc.database.RequiresDatabase;
import io.delayqueue.jdbc.modulith.WithoutModulith;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.testing.DatabaseServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What an operator sees if another session locks the table of the outbox: as in the drill of the auto-configuration, with
 * its goal of 15 s and the triple as the limit. The application has the default intervals.
 */
@RequiresDatabase(RequiresDatabase.Kind.POSTGRESQL)
@Timeout(300)
@Tag("long")
@Tag("jdbc")
class LockedTableDrillTests {

    private static final Duration SEEN = Duration.ofSeconds(45);

    private final AtomicLong sent = new AtomicLong();
    private DatabaseServer server;
    private ConfigurableApplicationContext application;
    private Thread sender;
    private Instant begin;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @WithoutModulith
    static class Application {}

    @BeforeEach
    void start() {
        server = Databases.of(getClass());
        server.reset();
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .logStartupInfo(false)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.datasource.url=" + server.url(),
                        "spring.datasource.username=" + server.user(),
                        "delayqueue.namespace=" + UUID.randomUUID())
                .run();
        TransactionTemplate transaction = new TransactionTemplate(bean(PlatformTransactionManager.class));
        sender = new Thread(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                transaction.executeWithoutResult(status -> bean(DelayQueueTemplate.class)
                        .sendAfterCommit(DelayMessage.to("order-cancel")
                                .payload("text")
                                .delay(Duration.ofHours(1))
                                .build()));
                sent.incrementAndGet();
            }
        });
        sender.start();
    }

    @AfterEach
    void stop() throws InterruptedException {
        sender.interrupt();
        sender.join();
        application.close();
    }

    private <T> T bean(Class<T> type) {
        return application.getBean(type);
    }

    private Health health() {
        return bean(DelayQueueHealthIndicator.class).health();
    }

    /** Whether the meter from which the alert is made shows a critical finding. */
    private boolean isFound() {
        return bean(MeterRegistry.class)
                        .find("delayqueue.findings")
                        .tags("level", "critical", "kind", "outbox", "topic", "none", "node", "none")
                        .gauge()
                != null;
    }

    private double oldest() {
        return bean(MeterRegistry.class).get("delayqueue.outbox.age").gauge().value();
    }

    private void seen(String what, Callable<Boolean> condition) {
        await(what).atMost(SEEN).pollInterval(Duration.ofMillis(200)).until(condition);
        System.out.printf(
                "drill: locked table of the outbox, %s after %.1f s%n",
                what, Duration.between(begin, Instant.now()).toMillis() / 1000.0);
    }

    private void awaitSends() {
        long before = sent.get();
        await().atMost(SEEN).until(() -> sent.get() > before);
    }

    @Test
    void lockedTableIsNamedUntilTheLockEnds() throws SQLException {
        awaitSends();
        await().atMost(SEEN).until(() -> health().getStatus().equals(Status.UP) && !Double.isNaN(oldest()));
        try (Connection other = server.unpooled().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            begin = Instant.now();
            statement.execute("lock table delayqueue_outbox in access exclusive mode");

            seen("health", () -> health().getStatus().getCode().equals("DEGRADED"));
            assertThat(health().getDetails().toString())
                    .contains("the table of the outbox, delayqueue_outbox, for", "may have locked the table");
            seen("expression of DelayQueueCritical", this::isFound);
            seen("gauges without a value", () -> Double.isNaN(oldest()));
            other.rollback();
        }
        begin = Instant.now();
        awaitSends();
        seen("all green after the lock", () -> health().getStatus().equals(Status.UP) && !isFound() && oldest() < 1);
    }
}
