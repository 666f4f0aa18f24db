package io.delayqueue.compatibility;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.admin.JobAction;
import io.delayqueue.admin.JobRequest;
import io.delayqueue.admin.MessageView;
import io.delayqueue.compatibility.CompatibilityApplication.Order;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.Purge;
import io.delayqueue.store.idempotency.IdempotencyKeys;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.template.receive.ReceiveRequest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;

/** Runs every script of the queue, without regard to failures. */
final class Exercise {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final String ORDERED = "ordered";
    private static final String FAIR = "fair";
    private static final Duration LATER = Duration.ofHours(1);

    private final ApplicationContext context;
    private final Duration maxSettlement;
    private final DelayQueueOperations operations;
    private final DelayQueueAdmin admin;
    private final DelayQueueInspector inspector;
    private final String topic = "exercise-" + UUID.randomUUID();

    /**
     * Creates an exercise.
     *
     * @param maxSettlement maximum time of a settlement: one that Redis rejects is repeated until the lease ends
     */
    Exercise(ApplicationContext context, Duration maxSettlement) {
        this.context = context;
        this.maxSettlement = maxSettlement;
        this.operations = context.getBean(DelayQueueOperations.class);
        this.admin = context.getBean(DelayQueueAdmin.class);
        this.inspector = context.getBean(DelayQueueInspector.class);
    }

    /**
     * Runs until a failure is as expected.
     *
     * @return the message of the expected failure, or null if there was none
     */
    @Nullable
    String until(Predicate<String> expected) {
        for (Step step : steps()) {
            try {
                step.run();
            } catch (RuntimeException e) {
                String message = String.valueOf(e.getMessage());
                if (expected.test(message)) {
                    return message;
                }
            }
        }
        return null;
    }

    private List<Step> steps() {
        return List.of(
                () -> operations.send(message("1").build()),
                () -> operations.send(message("1").onDuplicate(OnDuplicate.KEEP).build()),
                () -> operations.send(message("2").delay(LATER).build()),
                () -> operations.send(message("2")
                        .delay(LATER)
                        .onDuplicate(OnDuplicate.REPLACE)
                        .build()),
                () -> operations.send(message("3").delay(LATER).version(1).build()),
                () -> operations.sendAll(IntStream.range(4, 8)
                        .mapToObj(i -> message("" + i).build())
                        .toList()),
                () -> operations.find(topic, id("1")),
                () -> operations.reschedule(topic, id("2"), Duration.ofMinutes(1)),
                () -> operations.cancel(topic, id("3")),
                () -> admin.counts(topic),
                () -> inspector.topics(),
                () -> inspector.nodes(),
                () -> inspector.messages(topic, MessageView.SCHEDULED, 10, null),
                () -> inspector.messages(topic, MessageView.READY, 10, null),
                () -> inspector.upcoming(topic, Duration.ofHours(2), 4),
                () -> operations.sendAll(List.of(keyed(ORDERED, "head"), keyed(ORDERED, "parked"))),
                () -> inspector.slowestKeys(ORDERED),
                () -> operations.cancel(ORDERED, id("head")),
                () -> operations.cancel(ORDERED, id("parked")),
                () -> operations.send(keyed(FAIR, "first")),
                () -> operations.cancel(FAIR, id("first")),
                () -> await(receive().extendLease(Duration.ofMinutes(1))),
                () -> await(receive().postpone(LATER)),
                () -> await(receive().retry(LATER, "later")),
                () -> await(receive().acknowledge()),
                () -> await(receive().deadLetter("unusable")),
                () -> inspector.deadLetterGroups(topic, 10),
                () -> admin.markReviewed(topic),
                () -> deadLetters().forEach(dead -> admin.replay(topic, dead.deadLetterId())),
                () -> await(receive().deadLetter("unusable")),
                () -> prune(),
                () -> deadLetters().forEach(dead -> admin.purge(topic, dead.deadLetterId())),
                () -> admin.pauseTopic(topic),
                () -> admin.resumeTopic(topic),
                () -> context.getBean(DelayQueueJobs.class).start(JobRequest.of(JobAction.CANCEL, topic)),
                () -> reserve(),
                () -> IntStream.range(0, 8).forEach(i -> operations.cancel(topic, id("" + i))),
                () -> operations.send(DelayMessage.to(topic + "-brief")
                        .payload("x")
                        .id("1")
                        .nonce("nonce")
                        .rememberFor(Duration.ofMinutes(1))
                        .build()),
                () -> operations.cancel(topic + "-brief", "1"),
                () -> admin.deleteTopic(topic + "-brief"),
                () -> operations.send(topic + "-brief", "again"));
    }

    private DelayMessage.Builder message(String name) {
        return DelayMessage.to(topic).id(id(name)).payload(new Order(name));
    }

    private DelayMessage keyed(String keyedTopic, String name) {
        return DelayMessage.to(keyedTopic).id(id(name)).key(topic).payload(name).build();
    }

    private String id(String name) {
        return topic + "-" + name;
    }

    private LeasedDelivery receive() {
        List<LeasedDelivery> received = context.getBean(DelayQueueReceiver.class)
                .receive(ReceiveRequest.from(topic).lease(LEASE));
        if (received.isEmpty()) {
            throw new IllegalStateException("There is no message");
        }
        return received.get(0);
    }

    private void await(CompletableFuture<Boolean> settlement) {
        settlement.orTimeout(maxSettlement.toMillis(), TimeUnit.MILLISECONDS).join();
    }

    private List<DeadLetter> deadLetters() {
        return admin.deadLetters(topic, 10).deadLetters();
    }

    private void prune() {
        context.getBean(MessageStore.class)
                .purge(Shard.single(topic), new Purge.Retention(Duration.ofDays(1), 100, 1))
                .join();
    }

    private void reserve() {
        new IdempotencyKeys(context.getBean(RedisScripts.class), context.getBean(KeySpace.class), new SecureRandom())
                .reserve(topic, "key", "fingerprint", List.of());
    }

    private interface Step {
        void run();
    }
}
