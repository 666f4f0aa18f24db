package io.delayqueue.benchmark.trial;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.testing.PostgresServer;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Measures transactions that insert an order and send a message, on a PostgreSQL of this trial. */
final class CommitTrial implements AutoCloseable {

    private static final String TOPIC = "orders";

    private final TrialSpec spec;
    private final PostgresServer database = new PostgresServer();
    private final RedisMeter meter;
    private final ConfigurableApplicationContext application;
    private final DelayQueueTemplate queue;
    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;

    /** The application code of a user. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    CommitTrial(TrialSpec spec) {
        this.spec = spec;
        database.start();
        database.reset();
        meter = new RedisMeter(spec.port());
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.datasource.url=" + database.url(),
                        "spring.datasource.username=" + database.user(),
                        "spring.datasource.hikari.maximum-pool-size=12",
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + spec.port(),
                        "delayqueue.outbox.enabled=" + withOutbox(),
                        "delayqueue-test.redis=none")
                .run();
        queue = application.getBean(DelayQueueTemplate.class);
        jdbc = application.getBean(JdbcTemplate.class);
        transaction = new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
    }

    private boolean withOutbox() {
        return spec.party() == Party.OUTBOX || spec.party() == Party.OUTBOX_GIVEN_IDS;
    }

    Map<Quantity, Double> run() {
        try (Crew crew = new Crew(spec.measure().senders())) {
            long warm = System.nanoTime() + spec.warmUp().toNanos();
            crew.run(thread -> {
                while (System.nanoTime() - warm < 0) {
                    commit();
                }
            });
            awaitEmptyOutbox();
            long sent = stored();
            double memory = settledMemory();
            AtomicInteger next = new AtomicInteger();
            meter.start();
            long nanos = crew.run(thread -> {
                while (next.getAndIncrement() < spec.messages()) {
                    commit();
                }
            });
            meter.stop();
            awaitEmptyOutbox();
            Map<Quantity, Double> values = new HashMap<>();
            values.put(Quantity.RATE, spec.messages() * 1e9 / nanos);
            values.put(Quantity.MESSAGES, (double) stored() - sent);
            values.put(Quantity.ALLOCATED, meter.total(Quantity.ALLOCATED) / spec.messages());
            if (memory > 0) {
                values.put(Quantity.BYTES, (settledMemory() - memory) / spec.messages());
            }
            return values;
        }
    }

    private void commit() {
        String id = UUID.randomUUID().toString();
        transaction.executeWithoutResult(status -> {
            jdbc.update("insert into orders (id) values (?)", id);
            if (spec.party() != Party.NO_MESSAGE) {
                DelayMessage.Builder message =
                        DelayMessage.to(TOPIC).payload(id).delay(SendTrials.DELAY);
                queue.sendAfterCommit((spec.party() == Party.OUTBOX ? message : message.id(id)).build());
            }
        });
    }

    /** The number of stored messages or, if none are sent, of orders. */
    private long stored() {
        return spec.party() == Party.NO_MESSAGE
                ? rows("orders")
                : application.getBean(DelayQueueAdmin.class).counts(TOPIC).scheduled();
    }

    /** Memory of Redis after it has released the client buffers; 0 without messages or a long warm-up. */
    private double settledMemory() {
        if (spec.party() == Party.NO_MESSAGE || spec.warmUp().toSeconds() == 0) {
            return 0;
        }
        Until.passed(TrialSpec.SETTLING);
        return meter.usedMemory();
    }

    private void awaitEmptyOutbox() {
        if (withOutbox()) {
            Until.met("the outbox is empty", () -> rows("delayqueue_outbox") == 0);
        }
    }

    private long rows(String table) {
        return Objects.requireNonNull(jdbc.queryForObject("select count(*) from " + table, Long.class));
    }

    @Override
    public void close() {
        application.close();
        meter.close();
        database.close();
    }
}
