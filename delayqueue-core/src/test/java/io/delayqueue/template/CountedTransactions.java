package io.delayqueue.template;

import org.springframework.transaction.SavepointManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** A transaction manager without a database, with savepoints. It counts the commits. */
final class CountedTransactions extends AbstractPlatformTransactionManager {

    private static final long serialVersionUID = 1L;

    private static final ThreadLocal<Object> CURRENT = new ThreadLocal<>();
    private int commits;

    CountedTransactions() {
        setNestedTransactionAllowed(true);
    }

    int commits() {
        return commits;
    }

    private static final class Transaction implements SavepointManager {

        private boolean existing;

        @Override
        public Object createSavepoint() {
            return new Object();
        }

        @Override
        public void rollbackToSavepoint(Object savepoint) {}

        @Override
        public void releaseSavepoint(Object savepoint) {}
    }

    @Override
    protected Object doGetTransaction() {
        Transaction transaction = new Transaction();
        transaction.existing = CURRENT.get() != null;
        return transaction;
    }

    @Override
    protected boolean isExistingTransaction(Object transaction) {
        return ((Transaction) transaction).existing;
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
        CURRENT.set(new Object());
    }

    @Override
    protected Object doSuspend(Object transaction) {
        Object suspended = CURRENT.get();
        CURRENT.remove();
        return suspended;
    }

    @Override
    protected void doResume(Object transaction, Object suspended) {
        CURRENT.set(suspended);
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
        commits++;
    }

    @Override
    protected void doRollback(DefaultTransactionStatus status) {}

    @Override
    protected void doCleanupAfterCompletion(Object transaction) {
        CURRENT.remove();
    }
}
