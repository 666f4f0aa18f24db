package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.jdbc.database.Databases;
import io.delayqueue.jdbc.modulith.WithoutModulith;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.testing.DatabaseServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application whose database server is killed with SIGKILL and restarted. */
@Tag("long")
@Tag("jdbc")
@ExtendWith(OutputCaptureExtension.class)
abstract class DatabaseOutageContract {

    private static final Duration OUTAGE = Duration.ofSeconds(60);

    private final AtomicInteger failures = new AtomicInteger();
    private DatabaseServer server;
    private ConfigurableApplicationContext application;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @WithoutModulith
    static class Application {}

    @BeforeEach
    void start() {
        server = Databases.of(getClass());
        server.reset();
        DelayQueueEvents counting = new DelayQueueEvents() {
            @Override
            public void outboxFailed(Throwable cause, Duration failing) {
                failures.incrementAndGet();
            }
        };
        application = new SpringApplicationBuilder(Application.class)
                .initializers(context ->
                        ((GenericApplicationContext) context).registerBean(DelayQueueEvents.class, () -> counting))
                .web(WebApplicationType.NONE)
                .logStartupInfo(false)
                .properties(List.of(
                                "spring.main.banner-mode=off",
                                "spring.datasource.url=" + server.url(),
                                "spring.datasource.username=" + server.user(),
                                "spring.datasource.hikari.connection-timeout=2000",
                                "delayqueue.outbox.initialize-schema=always",
                                "delayqueue.outbox.poll-interval=100ms",
                                "delayqueue.namespace=" + UUID.randomUUID())
                        .toArray(String[]::new))
                .run();
    }

    @AfterEach
    void stop() {
        application.close();
    }

    private void place(String id) {
        new TransactionTemplate(application.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(status -> application
                        .getBean(DelayQueueTemplate.class)
                        .sendAfterCommit(
                                DelayMessage.to("orders").id(id).payload(id).build()));
    }

    private boolean placed(String id) {
        try {
            place(id);
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private long stored() {
        try (HikariDataSource pool = server.open()) {
            return new JdbcTemplate(pool).queryForObject("select count(*) from delayqueue_outbox", Long.class);
        }
    }

    @Test
    void theOutboxContinuesAfterAnOutageOfTheDatabaseWithOneLogLine(CapturedOutput output) {
        place("before");
        await().until(() -> stored() == 0);

        server.kill();
        assertThat(placed("during")).isFalse();
        await().atMost(OUTAGE).until(() -> failures.get() >= 3);
        server.start();
        await().atMost(OUTAGE).until(() -> output.getOut().contains("The database serves the outbox again"));
        place("after");

        DelayQueueTemplate queue = application.getBean(DelayQueueTemplate.class);
        assertThat(queue.find("orders", "before")).isPresent();
        assertThat(queue.find("orders", "during")).isEmpty();
        assertThat(queue.find("orders", "after")).isPresent();
        await().until(() -> stored() == 0);
        assertThat(output.getOut().split("The database fails the outbox", -1)).hasSize(2);
    }

    @Test
    void rowsAreDeletedWhenTheApplicationStops() {
        for (int i = 0; i < 20; i++) {
            place("a" + i);
        }

        application.close();

        assertThat(stored()).isZero();
    }
}
