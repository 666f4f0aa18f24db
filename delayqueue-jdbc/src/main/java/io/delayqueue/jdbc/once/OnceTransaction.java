package io.delayqueue.jdbc.once;

import io.delayqueue.event.FailureLog;
import io.delayqueue.jdbc.once.HandledMessages.Keyed;
import io.delayqueue.listener.DependencyUnavailableException;
import io.delayqueue.message.Printable;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction of a listener's calls: the rows of the messages and the effects of the method are committed together, or
 * neither. Any exception rolls it back. Thread-safe.
 */
final class OnceTransaction {

    private static final Log log = LogFactory.getLog(OnceTransaction.class);

    private final String listener;
    private final DataSource dataSource;
    private final PlatformTransactionManager manager;
    private final TransactionDefinition definition;
    private final HandledMessages handled;

    OnceTransaction(
            String listener,
            DataSource dataSource,
            PlatformTransactionManager manager,
            TransactionDefinition definition,
            HandledMessages handled) {
        this.listener = listener;
        this.dataSource = dataSource;
        this.manager = manager;
        this.definition = definition;
        this.handled = handled;
    }

    /** The method's call. */
    @FunctionalInterface
    interface Call {

        void run() throws Exception;
    }

    /** Some messages are already handled. Nothing was called. */
    static final class AlreadyHandledException extends Exception {

        private static final long serialVersionUID = 1L;

        private final transient Set<String> keys;

        AlreadyHandledException(Set<String> keys) {
            super(null, null, false, false);
            this.keys = keys;
        }

        /** The keys of the handled messages, at least one. */
        Set<String> keys() {
            return keys;
        }
    }

    /**
     * Inserts the rows of messages and makes the call.
     *
     * @throws AlreadyHandledException if a row exists; a row of a transaction in progress is awaited
     * @throws DependencyUnavailableException if the database is unavailable
     */
    void run(List<Keyed> messages, Call call) throws Exception {
        TransactionStatus status = begin();
        Completion completion = new Completion();
        DataIntegrityViolationException conflict = null;
        try {
            TransactionSynchronizationManager.registerSynchronization(completion);
            checkDataSource();
            conflict = insert(messages);
            if (conflict == null) {
                call.run();
            }
        } catch (Throwable e) {
            rollback(status, e);
            throw e;
        }
        if (conflict == null) {
            commit(status, completion);
        } else {
            rollback(status, conflict);
            throw alreadyHandled(messages, conflict);
        }
    }

    private TransactionStatus begin() {
        try {
            return manager.getTransaction(definition);
        } catch (CannotCreateTransactionException e) {
            throw unavailable(e);
        }
    }

    /** Some transaction managers know their DataSource only when a transaction begins. */
    private void checkDataSource() {
        if (manager instanceof ResourceTransactionManager
                && !TransactionSynchronizationManager.hasResource(dataSource)) {
            throw new IllegalStateException("The transaction manager of listener " + Printable.of(listener)
                    + " does not manage the DataSource of the delay queue. Annotate both with @DelayQueueDataSource.");
        }
    }

    /** Returns null if the rows are inserted. */
    private @Nullable DataIntegrityViolationException insert(List<Keyed> messages) {
        try {
            handled.insert(listener, messages);
            return null;
        } catch (DataIntegrityViolationException e) {
            return e;
        } catch (DataAccessResourceFailureException | RecoverableDataAccessException e) {
            throw unavailable(e);
        }
    }

    private Exception alreadyHandled(List<Keyed> messages, DataIntegrityViolationException conflict) {
        try {
            Set<String> keys =
                    handled.existing(messages.stream().map(Keyed::key).toList());
            return keys.isEmpty() ? conflict : new AlreadyHandledException(keys);
        } catch (CannotCreateTransactionException e) {
            e.addSuppressed(conflict);
            return unavailable(e);
        } catch (DataAccessException e) {
            e.addSuppressed(conflict);
            return e;
        }
    }

    private DependencyUnavailableException unavailable(Exception cause) {
        return new DependencyUnavailableException(
                "The database of listener " + Printable.of(listener) + " is unavailable", cause);
    }

    private void rollback(TransactionStatus status, Throwable cause) {
        try {
            manager.rollback(status);
        } catch (RuntimeException | Error e) { // the connection is lost, so the database rolls back
            if (e != cause) {
                cause.addSuppressed(e);
            }
        }
    }

    /** A failure after the commit does not fail the attempt: a retry would find the row. */
    private void commit(TransactionStatus status, Completion completion) {
        try {
            manager.commit(status);
        } catch (RuntimeException | Error e) {
            if (!completion.committed) {
                throw e;
            }
            FailureLog.log(
                    log::error,
                    "The transaction of listener " + Printable.of(listener)
                            + " is committed, but an action after the commit failed. It is not repeated",
                    e);
        }
    }

    /** Whether the transaction is committed. */
    private static final class Completion implements TransactionSynchronization {

        private boolean committed;

        @Override
        public void afterCompletion(int status) {
            committed = status == STATUS_COMMITTED;
        }
    }
}
