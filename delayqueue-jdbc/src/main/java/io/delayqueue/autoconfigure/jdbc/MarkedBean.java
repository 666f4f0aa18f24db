package io.delayqueue.autoconfigure.jdbc;

import io.delayqueue.autoconfigure.failure.StartFailedException;
import io.delayqueue.jdbc.DelayQueueDataSource;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Chooses the data source that contains the tables of the queue: the marked bean, else the only one, else the primary
 * one.
 *
 * @param marked beans with the qualifier {@link DelayQueueDataSource}
 * @param any beans that can be injected without a qualifier
 */
record DataSourceChoice(ObjectProvider<DataSource> marked, ObjectProvider<DataSource> any, ListableBeanFactory beans) {

    DataSource choose() {
        DataSource chosen = marked.getIfUnique();
        if (chosen == null && marked.stream().findAny().isEmpty()) {
            chosen = any.getIfUnique();
        }
        if (chosen == null) {
            throw new StartFailedException(
                    "delayqueue-jdbc requires a single bean of type DataSource, but several were found: "
                            + String.join(", ", beans.getBeanNamesForType(DataSource.class)) + ".",
                    "Annotate the one that contains the tables of the delay queue with @DelayQueueDataSource, or one of"
                            + " them with @Primary, or disable the outbox with delayqueue.outbox.enabled=false.");
        }
        return chosen;
    }
}
