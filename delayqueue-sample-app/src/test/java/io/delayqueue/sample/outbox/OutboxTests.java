package io.delayqueue.sample.outbox;

import static io.delayqueue.sample.Shop.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.sample.SampleTest;
import io.delayqueue.sample.Shop;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueOperations;
import java.time.OffsetDateTime;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

@SampleTest
class OutboxTests {

    @Autowired
    private Shop shop;

    @Autowired
    private StoreThenSend storeThenSend;

    @Autowired
    private DelayQueueOperations delayQueue;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void orderIsCancelledAlthoughItsMessageWasLost() {
        String id = shop.order("Teapot");
        assertThat(delayQueue.cancel("order-cancel", id)).isEqualTo(CancelOutcome.CANCELLED);

        jdbc.sql("UPDATE orders SET cancel_at = ? WHERE id = ?")
                .params(OffsetDateTime.parse("2001-01-01T00:00:00Z"), id)
                .update();

        await().until(() -> shop.status(id).equals("CANCELLED"));
    }

    @Test
    void committedOrderSucceedsAlthoughItsMessageWasNotSent() {
        String result = storeThenSend.run(() -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    throw new DelayQueueException("Redis is unavailable", null);
                }
            });
            return "stored";
        });

        assertThat(result).isEqualTo("stored");
    }

    @Test
    void messageThatCannotBeSentRollsTheOrderBack() {
        String id = shop.order("Teapot");

        assertThatThrownBy(() -> storeThenSend.run(() -> {
                    jdbc.sql("DELETE FROM journal").update();
                    throw new DelayQueueException("too long", null);
                }))
                .isInstanceOf(DelayQueueException.class);

        assertThat(shop.journal(id)).isNotEmpty();
    }
}
