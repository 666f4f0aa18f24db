package io.delayqueue.autoconfigure.jdbc;

import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.autoconfigure.LifecycleAction;
import io.delayqueue.autoconfigure.failure.InvalidPropertyException;
import io.delayqueue.autoconfigure.failure.StartFailedException;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.event.EventBus;
import io.delayqueue.jdbc.QueueDatabase;
import io.delayqueue.jdbc.UnsupportedDatabaseException;
import io.delayqueue.jdbc.outbox.JdbcOutbox;
import io.delayqueue.jdbc.outbox.OutboxRelay;
import io.delayqueue.message.DaemonThreads;
import io.delayqueue.template.DelayQueueTemplate;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;

/** Auto-configuration of the outbox: messages that are sent after a commit are stored in the transaction's database. */
@AutoConfiguration(after = {DelayQueueAutoConfiguration.class, DataSourceAutoConfiguration.class})
@ConditionalOnBooleanProperty(name = "delayqueue.outbox.enabled", matchIfMissing = true)
@ConditionalOnBean({DelayQueueEngine.class, DelayQueueTemplate.class})
public final class OutboxAutoConfiguration {

    /** The phase in which the relay stops: after everything that commits, before the connection factories. */
    private static final int PHASE = 1;

    /** The outbox of an application with a data source. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(DataSource.class)
    @Import(DatabaseConfiguration.class)
    static final class WithDataSource {

        private static final Log log = LogFactory.getLog(OutboxAutoConfiguration.class);
        /** The table that the scripts create. */
        private static final String DEFAULT_TABLE = "delayqueue_outbox";

        @Bean
        @DependsOnDatabaseInitialization
        JdbcOutbox delayQueueOutbox(QueueDatabase database, DelayQueueProperties properties) {
            return new JdbcOutbox(
                    database.dataSource(),
                    properties.outbox().table(),
                    database::dialect,
                    properties.outbox().rememberFor(),
                    properties.outbox().queryTimeout());
        }

        @Bean
        OutboxRelay delayQueueOutboxRelay(
                JdbcOutbox outbox,
                DelayQueueTemplate template,
                DelayQueueEngine engine,
                EventBus events,
                DelayQueueProperties properties) {
            return new OutboxRelay(
                    outbox,
                    template::relay,
                    events,
                    engine.tasks(),
                    DaemonThreads.executor("delayqueue-outbox"),
                    new OutboxRelay.Settings(
                            properties.outbox().pollInterval(),
                            properties.outbox().batchSize(),
                            properties.metrics().sampleInterval()),
                    System::nanoTime);
        }

        @Bean
        LifecycleAction delayQueueOutboxLifecycle(
                JdbcOutbox outbox,
                OutboxRelay relay,
                QueueDatabase database,
                SchemaInitializer schema,
                DelayQueueProperties properties) {
            return new LifecycleAction(
                    PHASE,
                    true,
                    () -> {
                        check(outbox, database, schema, properties.outbox().table());
                        relay.start();
                    },
                    relay::stop);
        }

        private static void check(JdbcOutbox outbox, QueueDatabase database, SchemaInitializer schema, String table) {
            try {
                database.dialect();
                outbox.check();
            } catch (UnsupportedDatabaseException e) {
                throw SchemaInitializer.unsupported(e);
            } catch (BadSqlGrammarException e) {
                throw new StartFailedException(
                        "The outbox cannot use its table '" + table + "': "
                                + e.getMostSpecificCause().getMessage() + ".",
                        remedy(table, database.dialect().script(), schema.runs())
                                + ", or disable the outbox with delayqueue.outbox.enabled=false.");
            } catch (DataAccessException e) {
                log.warn("The table of the outbox, " + table
                        + ", could not be checked, because it is locked or the database" + " is unavailable: "
                        + e.getMessage());
            }
        }

        private static String remedy(String table, String script, boolean ran) {
            if (!table.equals(DEFAULT_TABLE)) {
                return "Create the table with a copy of the script " + script + " of delayqueue-jdbc that has this name"
                        + " instead of " + DEFAULT_TABLE + ": delayqueue.outbox.initialize-schema"
                        + " creates no table of another name. Or remove delayqueue.outbox.table";
            }
            return ran
                    ? "The script " + script
                            + " of delayqueue-jdbc ran. Compare its table with yours, and the schema in"
                            + " which it creates tables with the default schema of the DataSource"
                    : "Create the table with the script " + script + " of delayqueue-jdbc, for example as a Flyway"
                            + " migration, or set delayqueue.outbox.initialize-schema=always";
        }
    }

    /** Fails the start of an application that requires the outbox and has no data source. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(DataSource.class)
    @ConditionalOnBooleanProperty("delayqueue.outbox.enabled")
    static final class WithoutDataSource {

        WithoutDataSource() {
            throw InvalidPropertyException.of(
                    "delayqueue.outbox.enabled",
                    "requires a bean of type DataSource, but there is none: set spring.datasource.url or define one");
        }
    }
}
