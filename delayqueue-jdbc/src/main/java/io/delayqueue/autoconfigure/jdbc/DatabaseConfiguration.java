package io.delayqueue.autoconfigure.jdbc;

import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.autoconfigure.failure.StartFailedException;
import io.delayqueue.jdbc.DelayQueueDataSource;
import io.delayqueue.jdbc.QueueDatabase;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The data source of the queue and its tables. */
@Configuration(proxyBeanMethods = false)
class DatabaseConfiguration {

    @Bean
    @ConditionalOnMissingBean
    QueueDatabase delayQueueDatabase(
            @DelayQueueDataSource ObjectProvider<DataSource> marked,
            ObjectProvider<DataSource> any,
            ListableBeanFactory beans) {
        DataSource dataSource = new MarkedBean<>(marked, any).find();
        if (dataSource == null) {
            throw new StartFailedException(
                    "delayqueue-jdbc requires a single bean of type DataSource, but several were found: "
                            + String.join(", ", beans.getBeanNamesForType(DataSource.class)) + ".",
                    "Annotate the one that contains the tables of the delay queue with @DelayQueueDataSource, or one of"
                            + " them with @Primary, or disable the outbox with delayqueue.outbox.enabled=false.");
        }
        return new QueueDatabase(dataSource);
    }

    @Bean
    SchemaInitializer delayQueueSchemaInitializer(QueueDatabase database, DelayQueueProperties properties) {
        return new SchemaInitializer(database.dataSource(), mode(properties));
    }

    static DatabaseInitializationMode mode(DelayQueueProperties properties) {
        return switch (properties.outbox().initializeSchema()) {
            case EMBEDDED -> DatabaseInitializationMode.EMBEDDED;
            case ALWAYS -> DatabaseInitializationMode.ALWAYS;
            case NEVER -> DatabaseInitializationMode.NEVER;
        };
    }
}
