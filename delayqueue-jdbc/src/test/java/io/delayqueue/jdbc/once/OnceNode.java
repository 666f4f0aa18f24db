package io.delayqueue.jdbc.once;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.jdbc.modulith.WithoutModulith;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.template.DelayQueueTemplate;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.Transactional;

/** An application with listeners of once. The id of a listener is that of its topic. */
final class OnceNode implements AutoCloseable {

    final ConfigurableApplicationContext application;
    final Seen seen;

    private OnceNode(ConfigurableApplicationContext application) {
        this.application = application;
        this.seen = application.getBean(Seen.class);
    }

    /**
     * Starts an application.
     *
     * @param listener the class of the listener's bean
     * @param behaviour what the listener does with messages, in its transaction
     */
    static OnceNode start(
            int port,
            String namespace,
            OnceDatabase database,
            Class<?> listener,
            Behaviour behaviour,
            String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "spring.main.banner-mode=off",
                "spring.data.redis.port=" + port,
                "spring.datasource.url=" + database.url(),
                "spring.datasource.username=" + database.user(),
                "spring.datasource.hikari.maximum-pool-size=10",
                // the table of effects has an entity in another test
                "spring.jpa.hibernate.ddl-auto=none",
                "delayqueue.namespace=" + namespace,
                "delayqueue.engine.sweep=200ms",
                "delayqueue.engine.unconfirmed-sweep=200ms",
                "delayqueue.listener.concurrency=4",
                "delayqueue.listener.drain-time=2s",
                "delayqueue.listener.backoff=fixed 10ms"));
        all.addAll(Arrays.asList(properties));
        return new OnceNode(new SpringApplicationBuilder(Application.class, listener)
                .web(WebApplicationType.NONE)
                .logStartupInfo(false)
                .initializers(
                        context -> context.getBeanFactory().registerSingleton("behaviour", new Changeable(behaviour)))
                .properties(all.toArray(String[]::new))
                .run());
    }

    /** What a listener does. */
    @FunctionalInterface
    interface Behaviour {

        void handle(Effects effects, List<Delivery> deliveries) throws Exception;

        /** For a listener of single messages. */
        static Behaviour single(Single behaviour) {
            return (effects, deliveries) -> behaviour.handle(effects, deliveries.get(0));
        }

        /** What a listener of single messages does. */
        @FunctionalInterface
        interface Single {

            void handle(Effects effects, Delivery delivery) throws Exception;
        }

        /** Each message has its effect. */
        Behaviour EFFECT = (effects, deliveries) -> deliveries.forEach(effects::add);
    }

    /** The behaviour that a test has set last. */
    private static final class Changeable implements Behaviour {

        volatile Behaviour current;
        /** What follows each call, after the transaction. */
        volatile Consumer<Delivery> afterwards = delivery -> {};

        Changeable(Behaviour first) {
            current = first;
        }

        @Override
        public void handle(Effects effects, List<Delivery> deliveries) throws Exception {
            current.handle(effects, deliveries);
        }
    }

    /** Inserts effects. */
    record Effects(JdbcTemplate jdbc) {

        void add(Delivery delivery) {
            // PostgreSQL stores no character 0
            jdbc.update(
                    "insert into effects (message_id, listener) values (?, ?)",
                    delivery.id().replace('\0', '0'),
                    "l");
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @WithoutModulith
    static class Application {

        @Bean
        Effects effects(JdbcTemplate jdbc) {
            return new Effects(jdbc);
        }

        @Bean
        Seen seen() {
            return new Seen();
        }

        /** The application's DataSource if a test sets {@code test.database-fails}. */
        @Bean
        @ConditionalOnProperty("test.database-fails")
        FailingDataSource failingDataSource(Environment environment) {
            return new FailingDataSource(new DriverManagerDataSource(
                    environment.getRequiredProperty("spring.datasource.url"),
                    environment.getRequiredProperty("spring.datasource.username"),
                    ""));
        }

        @Bean
        MeterRegistry meterRegistry() {
            return new SimpleMeterRegistry();
        }
    }

    /** Gives no connections while a test wants it. */
    static final class FailingDataSource extends DelegatingDataSource {

        volatile boolean fails;

        FailingDataSource(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (fails) {
                throw new SQLTransientConnectionException("on purpose");
            }
            return super.getConnection();
        }
    }

    /** A listener of each kind, and an interceptor of their calls. */
    static class Listeners implements DeliveryInterceptor {

        private final ObjectProvider<PlatformTransactionManager> transactions;
        private final Effects effects;
        private final Changeable behaviour;

        Listeners(ObjectProvider<PlatformTransactionManager> transactions, Effects effects, Changeable behaviour) {
            this.transactions = transactions;
            this.effects = effects;
            this.behaviour = behaviour;
        }

        /** Calls of the listener in-transaction are within another transaction; those of failing fail after the commit. */
        @Override
        public CompletionStage<?> around(String listener, List<Delivery> deliveries, Next next) throws Exception {
            if (listener.equals("in-transaction")) {
                TransactionStatus outer = transactions.getObject().getTransaction(null);
                CompletionStage<?> end = next.proceed();
                transactions.getObject().commit(outer);
                return end;
            }
            CompletionStage<?> end = next.proceed();
            if (listener.equals("failing")) {
                throw new IllegalStateException("after the commit");
            }
            deliveries.forEach(behaviour.afterwards);
            return end;
        }

        /** The container opens the transaction. */
        @DelayListener(topic = "plain", id = "plain", once = "true")
        @DelayListener(topic = "failing", id = "failing", once = "true")
        @DelayListener(topic = "in-transaction", id = "in-transaction", once = "true")
        public void handle(String payload, Delivery delivery) throws Exception {
            behaviour.handle(effects, List.of(delivery));
        }

        @DelayListener(topic = "batch", id = "batch", once = "true", concurrency = "1")
        public void handle(List<Delivery> deliveries) throws Exception {
            behaviour.handle(effects, deliveries);
        }

        /** The method joins the transaction. */
        @DelayListener(topic = "joining", id = "joining", once = "true")
        @Transactional(noRollbackFor = IllegalArgumentException.class)
        public void join(String payload, Delivery delivery) throws Exception {
            behaviour.handle(effects, List.of(delivery));
        }

        /** A call of the bean's own method, which does not pass its proxy. */
        @DelayListener(topic = "self-invoking", id = "self-invoking", once = "true")
        public void invoke(String payload, Delivery delivery) throws Exception {
            join(payload, delivery);
        }
    }

    /** Records what happened. */
    static final class Seen implements DelayQueueEvents {

        final Queue<String> started = new ConcurrentLinkedQueue<>();
        final Queue<String> suppressed = new ConcurrentLinkedQueue<>();
        final Queue<String> acknowledged = new ConcurrentLinkedQueue<>();
        final Queue<String> retried = new ConcurrentLinkedQueue<>();
        final Queue<String> released = new ConcurrentLinkedQueue<>();
        final Queue<String> dead = new ConcurrentLinkedQueue<>();

        void clear() {
            List.of(started, suppressed, acknowledged, retried, released, dead).forEach(Queue::clear);
        }

        @Override
        public void started(Recipient recipient, String id, int attempt, Duration late) {
            started.add(id);
        }

        @Override
        public void duplicateSuppressed(Recipient recipient, String id) {
            suppressed.add(id);
        }

        @Override
        public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
            acknowledged.add(id);
        }

        @Override
        public void retried(Recipient recipient, String id, int attempt, Duration handling, Duration delay) {
            retried.add(id);
        }

        @Override
        public void released(Recipient recipient, String id) {
            released.add(id);
        }

        @Override
        public void deadLettered(Recipient recipient, String id, DeadLetterCause cause, @Nullable Duration handling) {
            dead.add(id + " " + cause);
        }
    }

    DelayQueueTemplate delayQueue() {
        return application.getBean(DelayQueueTemplate.class);
    }

    DelayQueueAdmin admin() {
        return application.getBean(DelayQueueAdmin.class);
    }

    ManagedListener listener(String id) {
        return application.getBean(DelayListenerRegistry.class).getContainer(id).orElseThrow();
    }

    /** Sets what the listeners do from now on. */
    void behave(Behaviour behaviour) {
        application.getBean(Changeable.class).current = behaviour;
        afterwards(delivery -> {});
    }

    /** Sets what follows each call, after the transaction. */
    void afterwards(Consumer<Delivery> action) {
        application.getBean(Changeable.class).afterwards = action;
    }

    double suppressedMeter(String topic) {
        return application
                .getBean(MeterRegistry.class)
                .get("delayqueue.deliveries.suppressed")
                .tags("topic", topic, "listener", topic)
                .counter()
                .count();
    }

    @Override
    public void close() {
        application.close();
    }
}
