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
 * <p>A message that is sent before the commit could be handled before the commit, or refer to a row that is never
 * committed. After the commit, the send may fail or the process may terminate although the change is stored. This must
 * not be reported to the customer as a failure, because the customer would repeat the order. Therefore the failure is
 * logged, and {@link SendAgain} sends the message later, because the stored row shows that it is still needed.
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
     * @return the result of the work after its commit, even if messages could not be sent
     * @throws RuntimeException the exception of the work, which is then rolled back; nothing is sent
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
            log.warn(
                    "The transaction was committed, but messages could not be sent. They are sent again" + " later: {}",
                    e.getMessage());
            return result;
        }
    }
}
