package io.delayqueue.sample.outbox;

import io.delayqueue.template.DelayQueueException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs work in a transaction whose messages are sent after its commit, as {@code sendAfterCommit} does.
 *
 * <p>Why after: a message sent before the commit may be handled before the commit, or speak of a row that is never
 * committed. The price is that the send may fail, or the process die, when the change already stands. That must not be
 * told to the customer as a failure, who would try again and order twice. So it is logged here, and since the row that
 * the work stored says by itself what is still to happen, {@link SendAgain} makes up for it.
 */
@Component
public final class StoreThenSend {

    private static final Logger log = LoggerFactory.getLogger(StoreThenSend.class);

    private final TransactionTemplate transaction;

    StoreThenSend(PlatformTransactionManager transactions) {
        this.transaction = new TransactionTemplate(transactions);
    }

    /**
     * Runs the work in a transaction.
     *
     * @return what the work returned, once it is committed, whether or not its messages could be sent
     * @throws RuntimeException what the work threw; then it is rolled back and nothing is sent
     */
    public <T> T run(Supplier<T> work) {
        AtomicReference<@Nullable T> done = new AtomicReference<>();
        try {
            return transaction.execute(status -> {
                T result = work.get();
                done.set(result);
                return result;
            });
        } catch (DelayQueueException e) {
            T result = done.get();
            if (result == null) {
                throw e;
            }
            log.warn("Committed, but not everything could be sent; it will be sent again: {}", e.getMessage());
            return result;
        }
    }
}
