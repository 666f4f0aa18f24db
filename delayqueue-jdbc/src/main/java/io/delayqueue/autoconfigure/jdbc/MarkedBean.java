package io.delayqueue.autoconfigure.jdbc;

import io.delayqueue.jdbc.DelayQueueDataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The bean of a type that belongs to the database with the tables of the queue: the marked one, else the only one, else
 * the primary one.
 *
 * @param marked beans with the qualifier {@link DelayQueueDataSource}
 * @param any beans that can be injected without a qualifier
 */
record MarkedBean<T>(ObjectProvider<T> marked, ObjectProvider<T> any) {

    /** Returns the bean; null if there is none, or if several are candidates. */
    @Nullable
    T find() {
        T bean = marked.getIfUnique();
        return bean != null || marked.stream().findAny().isPresent() ? bean : any.getIfUnique();
    }
}
