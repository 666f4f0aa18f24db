package io.delayqueue.autoconfigure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.annotation.InvalidListenerException;
import io.delayqueue.autoconfigure.DelayListenerAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.PayloadConverterAutoConfiguration;
import io.delayqueue.jdbc.DelayQueueDataSource;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** The start of applications whose listeners have once. No Redis is needed: the listeners do not start. */
class OnceAutoConfigurationTests {

    private final ApplicationContextRunner withoutDatabase = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataRedisAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    PayloadConverterAutoConfiguration.class,
                    DelayQueueAutoConfiguration.class,
                    DelayListenerAutoConfiguration.class,
                    OnceAutoConfiguration.class))
            .withPropertyValues("delayqueue.listener.auto-startup=false");

    private final ApplicationContextRunner withDatabase = withoutDatabase
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    TransactionAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());

    private static void assertFails(ApplicationContextRunner runner, Class<?> listener, String problem, String fix) {
        runner.withUserConfiguration(listener).run(context -> {
            assertThat(context).hasFailed();
            assertThat(NestedExceptionUtils.getMostSpecificCause(Objects.requireNonNull(context.getStartupFailure())))
                    .isInstanceOfSatisfying(InvalidListenerException.class, failure -> {
                        assertThat(failure.problem()).isEqualTo(problem);
                        assertThat(failure.fix()).isEqualTo(fix);
                        assertThat(failure.method()).startsWith(listener.getName() + ".handle(");
                    });
        });
    }

    static class Once {
        @DelayListener(topic = "t", id = "l", once = "true")
        void handle(String payload) {}
    }

    static class NotOnce {
        @DelayListener(topic = "t", id = "l")
        void handle(String payload) {}
    }

    @Test
    void theTableIsCreatedInAnEmbeddedDatabase() {
        withDatabase.withUserConfiguration(Once.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(rows(context.getBean(DataSource.class))).isZero();
        });
    }

    private static int rows(DataSource dataSource) {
        Integer count =
                new JdbcTemplate(dataSource).queryForObject("select count(*) from delayqueue_handled", Integer.class);
        return count == null ? -1 : count;
    }

    @Test
    void anApplicationWithoutSuchListenersNeedsNoDatabase() {
        withoutDatabase
                .withUserConfiguration(NotOnce.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aListenerRequiresADataSource() {
        assertFails(
                withoutDatabase,
                Once.class,
                "It has once, but there is no DataSource, or there are several.",
                "Configure one, or annotate one of them with @DelayQueueDataSource or @Primary.");
    }

    @Configuration(proxyBeanMethods = false)
    static class OnlyADataSource {
        @Bean
        DataSource dataSource() {
            return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        }
    }

    @Test
    void aListenerRequiresATransactionManager() {
        assertFails(
                withoutDatabase.withUserConfiguration(OnlyADataSource.class),
                Once.class,
                "It has once, but there is no transaction manager, or there are several.",
                "Configure one, or annotate one of them with @DelayQueueDataSource or @Primary.");
    }

    // ---- several databases -----------------------------------------------------------------------------------------

    @Configuration(proxyBeanMethods = false)
    static class TwoDatabases {
        @Bean
        @Primary
        DataSource first() {
            return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        }

        @Bean
        @DelayQueueDataSource
        DataSource second() {
            return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        }

        @Bean
        @Primary
        JdbcTransactionManager firstManager(DataSource first) {
            return new JdbcTransactionManager(first);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoManagers extends TwoDatabases {
        @Bean
        @DelayQueueDataSource
        JdbcTransactionManager secondManager(@DelayQueueDataSource DataSource second) {
            return new JdbcTransactionManager(second);
        }
    }

    @Test
    void theMarkedDataSourceHasTheTable() {
        withoutDatabase.withUserConfiguration(TwoManagers.class, Once.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(rows(context.getBean("second", DataSource.class))).isZero();
            assertThat(context.getBean(DelayListenerRegistry.class).getContainer("l"))
                    .isPresent();
        });
    }

    @Test
    void theTransactionManagerMustManageTheDataSource() {
        assertFails(
                withoutDatabase.withUserConfiguration(TwoDatabases.class),
                Once.class,
                "It has once, but the transaction manager does not manage the DataSource of the table of handled"
                        + " messages.",
                "Annotate the DataSource and its transaction manager with @DelayQueueDataSource.");
    }

    static class TransactionalElsewhere {
        @DelayListener(topic = "t", once = "true")
        @Transactional
        public void handle(String payload) {}
    }

    static class TransactionalByName {
        @DelayListener(topic = "t", once = "true")
        @Transactional("secondManager")
        public void handle(String payload) {}
    }

    @Test
    void theMethodsTransactionManagerMustBeThatOfTheTable() {
        assertFails(
                withoutDatabase.withUserConfiguration(TwoManagers.class),
                TransactionalElsewhere.class,
                "It has once, but its @Transactional uses another transaction manager than the one of the table of"
                        + " handled messages.",
                "Name this one in @Transactional, or annotate the other one and its DataSource with"
                        + " @DelayQueueDataSource.");
        withoutDatabase
                .withUserConfiguration(TwoManagers.class, TransactionalByName.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    // ---- declared transactions -------------------------------------------------------------------------------------

    static class RequiresNew {
        @DelayListener(topic = "t", once = "true")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void handle(String payload) {}
    }

    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    static class NotSupported {
        @DelayListener(topic = "t", once = "true")
        public void handle(String payload) {}
    }

    static class Never {
        @DelayListener(topic = "t", once = "true")
        @Transactional(propagation = Propagation.NEVER)
        public void handle(String payload) {}
    }

    @ParameterizedTest
    @ValueSource(classes = {RequiresNew.class, NotSupported.class, Never.class})
    void theMethodMustJoinTheTransaction(Class<?> listener) {
        assertFails(
                withDatabase,
                listener,
                "It has once, but its @Transactional does not join the transaction that records the message.",
                "Use the propagation REQUIRED.");
    }

    static class ReadOnly {
        @DelayListener(topic = "t", once = "true")
        @Transactional(readOnly = true)
        public void handle(String payload) {}
    }

    @Test
    void theMethodMustNotBeReadOnly() {
        assertFails(
                withDatabase,
                ReadOnly.class,
                "It has once, but its @Transactional is read-only.",
                "Remove readOnly, or remove once.");
    }

    static class Serializable {
        @DelayListener(topic = "t", once = "true")
        @Transactional(isolation = Isolation.SERIALIZABLE, timeoutString = "${t.timeout:7}")
        public void handle(String payload) {}
    }

    @Test
    void aMethodThatJoinsIsAccepted() {
        withDatabase
                .withUserConfiguration(Serializable.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    // ---- properties ------------------------------------------------------------------------------------------------

    static class LongHandling {
        @DelayListener(topic = "t", once = "true", handlingTime = "6d1s")
        void handle(String payload) {}
    }

    @Test
    void rowsMustStayLongerThanMessagesAreHandled() {
        assertFails(
                withDatabase,
                LongHandling.class,
                "It has once and a handling time of 6 days 1 s, but delayqueue.once.retention is 7 days: its rows could be removed"
                        + " before its messages are acknowledged.",
                "Set delayqueue.once.retention to at least 1 day more than the handling time.");
        withDatabase
                .withPropertyValues("delayqueue.once.retention=8d")
                .withUserConfiguration(LongHandling.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "retention=23h | retention must be from 1 day to 3,650 days, but was 23 h",
                "clean-up-interval=999ms | clean-up-interval must be from 1 s to 1 day, but was 999 ms",
                "table=a;b | table must be the name of a table of letters, digits and underscores, but was 'a;b'"
            },
            quoteCharacter = '"')
    void anInvalidPropertyFailsTheStart(String property, String sentence) {
        withDatabase
                .withPropertyValues("delayqueue.once." + property)
                .run(context ->
                        assertThat(context).getFailure().hasStackTraceContaining("delayqueue.once." + sentence));
    }
}
