package io.delayqueue.jdbc.outbox;

import java.sql.Connection;
import java.util.Objects;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The transactions on the data source of the outbox: those of the application, and those of the relay. Thread-safe. */
final class OutboxTransactions {

    private final Transactions transactions;
    private final TransactionTemplate ofRelay;
    /** Whether connections of the pool commit by themselves; null until it is known. */
    private volatile @Nullable Boolean commits;

    /** Tells whether a transaction is on its data source. */
    private static final class Transactions extends JdbcTransactionManager {

        private static final long serialVersionUID = 1L;

        Transactions(DataSource dataSource) {
            super(dataSource);
        }

        boolean isInTransaction() {
            return isExistingTransaction(doGetTransaction());
        }
    }

    OutboxTransactions(DataSource dataSource) {
        transactions = new Transactions(dataSource);
        ofRelay = new TransactionTemplate(transactions);
        // in MySQL, a stricter isolation would lock the gaps after the last rows and block the application's inserts
        ofRelay.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
    }

    /**
     * Whether the calling thread has a transaction on the data source that may write. A connection that is bound by its
     * first use in another transaction, and thus commits each statement, does not count.
     */
    boolean isActive() {
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            return false;
        }
        if (transactions.isInTransaction()) {
            return true;
        }
        // JpaTransactionManager does not mark its connection as active, and a first use would mark it as synchronized
        Object bound = TransactionSynchronizationManager.getResource(dataSource());
        return bound instanceof ConnectionHolder holder && !holder.isSynchronizedWithTransaction();
    }

    /** Runs an action of the relay in a transaction. */
    <T> T inTransaction(Supplier<T> action) {
        return ofRelay.execute(status -> action.get());
    }

    /** Runs statements of the relay that a pool without automatic commits would not commit. */
    void run(Runnable statements) {
        ofRelay.executeWithoutResult(status -> statements.run());
    }

    /**
     * Runs a query of the relay. If connections commit by themselves, it needs no transaction and saves the round trip
     * of a commit.
     */
    <T> T reading(Supplier<T> query) {
        Boolean known = commits;
        if (known == null) {
            known = new JdbcTemplate(dataSource()).execute(Connection::getAutoCommit);
            commits = known;
        }
        return Boolean.TRUE.equals(known) ? query.get() : inTransaction(query);
    }

    /** The data source to which transactions are bound. */
    DataSource dataSource() {
        return Objects.requireNonNull(transactions.getDataSource());
    }
}
