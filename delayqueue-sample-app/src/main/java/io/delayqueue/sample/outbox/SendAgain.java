package io.delayqueue.sample.outbox;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.SendResult;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueOperations;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Sends again what is overdue, because its message was lost between the commit and the queue.
 *
 * <p>A message that is merely late is kept as it is ({@link OnDuplicate#KEEP}), so nothing is done twice, and any number
 * of instances of the application may do this.
 */
@Component
final class SendAgain {

    private static final Logger log = LoggerFactory.getLogger(SendAgain.class);

    private final List<Outbox> outboxes;
    private final DelayQueueOperations delayQueue;
    private final InstantSource clock;
    private final OutboxProperties properties;

    SendAgain(
            List<Outbox> outboxes, DelayQueueOperations delayQueue, InstantSource clock, OutboxProperties properties) {
        this.outboxes = outboxes;
        this.delayQueue = delayQueue;
        this.clock = clock;
        this.properties = properties;
    }

    @Scheduled(fixedDelayString = "${sample.outbox.every:1m}", initialDelayString = "0s")
    void sendAgain() {
        for (Outbox outbox : outboxes) {
            List<DelayMessage> overdue = outbox.overdue(clock.instant().minus(properties.grace())).stream()
                    .map(message ->
                            message.toBuilder().onDuplicate(OnDuplicate.KEEP).build())
                    .toList();
            try {
                long lost = delayQueue.sendAll(overdue).stream()
                        .filter(SendResult.Accepted.class::isInstance)
                        .count();
                if (lost > 0) {
                    log.info("Sent {} messages again that had been lost on their way to the queue", lost);
                }
            } catch (DelayQueueException e) {
                log.warn("Overdue messages could not be sent, the next turn tries again: {}", e.getMessage());
            }
        }
    }
}
