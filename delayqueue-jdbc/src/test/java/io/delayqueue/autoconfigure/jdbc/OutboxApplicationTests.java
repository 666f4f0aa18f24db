package io.delayqueue.autoconfigure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.actuate.health.DelayQueueHealthIndicator;
import io.delayqueue.autoconfigure.failure.StartFailedException;
import io.delayqueue.jdbc.DelayQueueDataSource;
import io.delayqueue.jdbc.database.H2Database;
import io.delayqueue.jdbc.modulith.WithoutModulith;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueTemplate;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Applications with the starter, delayqueue-jdbc and H2. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OutboxApplicationTests {

    private static final String TOPIC = "order-cancel";
    private static final String COUNT = "select count(*) from delayqueue_outbox";

    private static final String WITHOUT_JPA = "spring.autoconfigure.exclude="
            + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration,"
            + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration";

    /** With JPA and H2. Tests share it. */
    private ConfigurableApplicationContext shared;

    private ConfigurableApplicationContext application;

    @BeforeAll
    void startShared() {
        start(
                Application.class,
                "spring.datasource.url=" + new H2Database(UUID.randomUUID().toString()).url(),
                "delayqueue.health.max-outbox-age=1s");
        shared = application;
    }

    @AfterAll
    void closeShared() {
        shared.close();
    }

    @AfterEach
    void close() {
        if (application != shared) {
            application.close();
            application = shared;
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @WithoutModulith
    @EntityScan(basePackageClasses = OutboxApplicationTests.class)
    static class Application {}

    /** An order of the application. */
    @Entity
    static class Purchase {

        @Id
        String id;
    }

    static class TwoDataSources {

        @Bean
        DataSource first() {
            return new H2Database("first").open();
        }

        @Bean
        DataSource second() {
            return new H2Database("second").open();
        }
    }

    static class MarkedDataSource {

        @Bean
        DataSource first() {
            return new H2Database("first").open();
        }

        @Bean
        @DelayQueueDataSource
        DataSource marked() {
            return new H2Database("marked").open();
        }
    }

    private void start(Class<?> configuration, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "spring.main.banner-mode=off",
                "delayqueue.namespace=" + UUID.randomUUID(),
                "delayqueue.outbox.poll-interval=100ms",
                "delayqueue.metrics.sample-interval=1s",
                "spring.jpa.hibernate.ddl-auto=update"));
        all.addAll(List.of(properties));
        application = new SpringApplicationBuilder(Application.class, configuration)
                .web(WebApplicationType.NONE)
                .logStartupInfo(false)
                .properties(all.toArray(String[]::new))
                .run();
    }

    private <T> T bean(Class<T> type) {
        return application.getBean(type);
    }

    private TransactionTemplate transaction() {
        return new TransactionTemplate(bean(PlatformTransactionManager.class));
    }

    private String send(String id) {
        return bean(DelayQueueTemplate.class)
                .sendAfterCommit(DelayMessage.to(TOPIC).id(id).payload(id).build());
    }

    private boolean isThere(String id) {
        return bean(DelayQueueTemplate.class).find(TOPIC, id).isPresent();
    }

    private long stored() {
        return bean(JdbcTemplate.class).queryForObject(COUNT, Long.class);
    }

    @Test
    void applicationStartsWhileItsDatabaseIsUnavailable() {
        start(UnavailableDatabase.class, WITHOUT_JPA);

        assertThat(application.isRunning()).isTrue();
    }

    static class UnavailableDatabase {

        @Bean
        DataSource dataSource() {
            return new DelegatingDataSource(new DriverManagerDataSource("jdbc:h2:mem:unavailable")) {
                @Override
                public Connection getConnection() throws SQLException {
                    throw new SQLTransientConnectionException("on purpose");
                }
            };
        }
    }

    @Test
    void jpaUsesTheSameConnection() {
        assertThat(bean(PlatformTransactionManager.class)).isInstanceOf(JpaTransactionManager.class);
        EntityManager entities = bean(EntityManager.class);

        transaction().executeWithoutResult(status -> {
            Purchase purchase = new Purchase();
            purchase.id = "a";
            entities.persist(purchase);
            send("a");
            assertThat(entities.createNativeQuery(COUNT, Long.class).getSingleResult())
                    .isEqualTo(1L);
            assertThat(stored()).isEqualTo(1);
            assertThat(isThere("a")).isFalse();
        });

        assertThat(isThere("a")).isTrue();
        await().until(() -> stored() == 0);
        assertThatThrownBy(() -> transaction().executeWithoutResult(status -> {
                    send("b");
                    Purchase again = new Purchase();
                    again.id = "a";
                    entities.persist(again); // fails when it is flushed, immediately before the commit
                }))
                .isInstanceOf(RuntimeException.class);
        assertThat(stored()).isZero();
        assertThat(isThere("b")).isFalse();
    }

    @Tag("long")
    @Tag("jdbc")
    @Test
    void jooqUsesTheSameConnection() {
        DSLContext jooq = DSL.using(new TransactionAwareDataSourceProxy(bean(DataSource.class)), SQLDialect.H2);

        transaction().executeWithoutResult(status -> {
            send("jooq");
            assertThat(jooq.fetchCount(DSL.table("delayqueue_outbox"))).isEqualTo(1);
            assertThat(isThere("jooq")).isFalse();
        });
        assertThat(isThere("jooq")).isTrue();
        await().until(() -> stored() == 0);
    }

    @Test
    void withoutItsTableTheApplicationDoesNotStart() {
        assertThatThrownBy(() -> start(
                        Application.class,
                        "spring.datasource.url=" + new H2Database("empty").url(),
                        "delayqueue.outbox.initialize-schema=never"))
                .hasStackTraceContaining("The outbox cannot use its table 'delayqueue_outbox':");
    }

    @Test
    void aTableOfAnotherNameIsNotCreated() {
        assertThatThrownBy(() -> start(
                        Application.class,
                        "spring.datasource.url=" + new H2Database("another").url(),
                        "delayqueue.outbox.table=messages",
                        "delayqueue.outbox.initialize-schema=always"))
                .rootCause()
                .isInstanceOfSatisfying(
                        StartFailedException.class,
                        failure -> assertThat(failure.action())
                                .startsWith(
                                        "Create the table with a copy of the script io/delayqueue/jdbc/schema-h2.sql of"
                                                + " delayqueue-jdbc that has this name instead of delayqueue_outbox:"));
    }

    @Test
    void withoutItsTableTheApplicationStartsIfTheOutboxIsDisabled() {
        start(
                Application.class,
                "spring.datasource.url=" + new H2Database("empty").url(),
                "delayqueue.outbox.enabled=false",
                "delayqueue.outbox.initialize-schema=never");

        transaction().executeWithoutResult(status -> send("a"));

        assertThat(isThere("a")).isTrue();
    }

    @Test
    void withoutADataSourceARequiredOutboxFailsTheStart() {
        assertThatThrownBy(() -> start(
                        Application.class,
                        "delayqueue.outbox.enabled=true",
                        WITHOUT_JPA + ",org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"))
                .hasStackTraceContaining(
                        "delayqueue.outbox.enabled requires a bean of type DataSource, but there is none");
    }

    @Test
    void severalDataSourcesWithoutAMarkFailTheStart() {
        assertThatThrownBy(() -> start(TwoDataSources.class, WITHOUT_JPA))
                .hasStackTraceContaining("delayqueue-jdbc requires a single bean of type DataSource, but several were"
                        + " found: first, second.");
    }

    @Test
    void theMarkedDataSourceIsUsed() {
        start(MarkedDataSource.class, WITHOUT_JPA);
        DataSource marked = application.getBean("marked", DataSource.class);
        JdbcTemplate jdbc = new JdbcTemplate(marked);

        new TransactionTemplate(new JdbcTransactionManager(marked)).executeWithoutResult(status -> {
            send("a");
            assertThat(jdbc.queryForObject(COUNT, Long.class)).isEqualTo(1);
        });

        assertThat(isThere("a")).isTrue();
        await().until(() -> jdbc.queryForObject(COUNT, Long.class) == 0);
    }

    @Test
    void gaugesAreUnknownWhileTheTableCannotBeUsed() {
        await().until(() -> outboxAge() == 0);

        bean(JdbcTemplate.class).execute("alter table delayqueue_outbox rename to moved");
        await().until(() -> Double.isNaN(outboxAge()));

        bean(JdbcTemplate.class).execute("alter table moved rename to delayqueue_outbox");
        await().until(() -> outboxAge() == 0);
    }

    private double outboxAge() {
        return bean(MeterRegistry.class).get("delayqueue.outbox.age").gauge().value();
    }

    @Test
    void metersAndHealthShowMessagesThatAreNotSent() {
        // a message that was stored with a larger limit, and one that an id's earlier message blocks
        transaction().executeWithoutResult(status -> {
            send("sent");
            bean(JdbcTemplate.class)
                    .update("insert into delayqueue_outbox (kind, topic, message_id, due_ms, relative_due, longest_ms,"
                            + " on_duplicate, durability, nonce, remember_ms, envelope, stored_at, status) select kind, topic, 'other', due_ms,"
                            + " relative_due, longest_ms, on_duplicate, durability, 'n', remember_ms, envelope, stored_at, 1 from"
                            + " delayqueue_outbox");
        });
        MeterRegistry meters = bean(MeterRegistry.class);

        await().until(() -> meters.get("delayqueue.outbox.messages")
                        .tag("state", "set_aside")
                        .gauge()
                        .value()
                == 1);
        await().until(() -> meters.get("delayqueue.outbox.messages")
                        .tag("state", "waiting")
                        .gauge()
                        .value()
                == 0);
        await().until(() -> String.valueOf(bean(DelayQueueHealthIndicator.class)
                        .health()
                        .getDetails()
                        .get("warnings"))
                .contains("In the outbox, 1 row is set aside, because Redis rejected it for good"));
        bean(JdbcTemplate.class).update("delete from delayqueue_outbox");
    }
}
