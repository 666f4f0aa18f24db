package io.delayqueue.sample.outbox;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.SendResult;
import io.delayqueue.sample.SampleProperties;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueOperations;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Sends the messages of overdue work again, because they may have been lost between the commit and the send.
 *
 * <p>A message that still exists is kept ({@link OnDuplicate#KEEP}). Therefore no work is done twice, and several
 * instances of the application may run this task.
 */
@Component
final class SendAgain {

    private static final Logger log = LoggerFactory.getLogger(SendAgain.class);

    private final List<Outbox> outboxes;
    private final DelayQueueOperations delayQueue;
    private final InstantSource clock;
    private final SampleProperties properties;

    SendAgain(
            List<Outbox> outboxes, DelayQueueOperations delayQueue, InstantSource clock, SampleProperties properties) {
        this.outboxes = outboxes;
        this.delayQueue = delayQueue;
        this.clock = clock;
        this.properties = properties;
    }

    @Scheduled(fixedDelayString = "${sample.outbox.every:1m}", initialDelayString = "0s")
    void sendAgain() {
        for (Outbox outbox : outboxes) {
            List<DelayMessage> overdue = outbox
                    .overdue(clock.instant().minus(properties.outbox().grace()))
                    .stream()
                    .map(message ->
                            message.toBuilder().onDuplicate(OnDuplicate.KEEP).build())
                    .toList();
            try {
                long lost = delayQueue.sendAll(overdue).stream()
                        .filter(SendResult.Accepted.class::isInstance)
                        .count();
                if (lost > 0) {
                    log.info("Sent {} lost messages again", lost);
                }
            } catch (DelayQueueException e) {
                log.warn("Overdue messages could not be sent. The next run tries again: {}", e.getMessage());
            }
        }
    }
}
