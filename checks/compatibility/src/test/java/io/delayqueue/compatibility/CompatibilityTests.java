package io.delayqueue.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.admin.Job;
import io.delayqueue.admin.JobAction;
import io.delayqueue.admin.JobRequest;
import io.delayqueue.admin.MessageView;
import io.delayqueue.compatibility.CompatibilityApplication.Handled;
import io.delayqueue.compatibility.CompatibilityApplication.Handlers;
import io.delayqueue.compatibility.CompatibilityApplication.Order;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.DuplicateMessageException;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.template.receive.ReceiveRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.ConfigurableApplicationContext;

/** What the queue does with every server and kind of access of the matrix. */
@ParameterizedClass(name = "{0}")
@MethodSource("io.delayqueue.compatibility.Combination#all")
class CompatibilityTests {

    /** Far below the sweep, so that what arrives was signalled. */
    private static final long WAIT_SECONDS = 20;

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration WAIT = Duration.ofSeconds(WAIT_SECONDS);
    private static final Duration LATER = Duration.ofHours(1);

    private static final Matrix MATRIX = new Matrix();

    private static @Nullable RunningRedis redis;
    private static @Nullable ConfigurableApplicationContext context;

    @Parameter
    private Combination combination;

    @BeforeParameterizedClassInvocation
    static void start(Combination combination) {
        redis = combination.access().start(combination.server());
        context = CompatibilityApplication.start(redis, Map.of("logging.level.root", "error"));
        MATRIX.begin(combination, redis.node());
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        if (context != null) {
            context.close();
        }
        if (redis != null) {
            redis.close();
        }
    }

    @AfterAll
    static void print() {
        System.out.print(MATRIX.table());
    }

    @Test
    void messageIsHandledWhenDue() throws InterruptedException {
        operations().send("orders", new Order("1"), Duration.ofMillis(300));

        Handled handled = next(handlers().orders);
        assertThat(handled.number()).isEqualTo("1");
        assertThat(handled.attempt()).isEqualTo(1);
        assertThat(handled.lateMillis()).isNotNegative();
        assertThat(handled.virtual()).isEqualTo(CompatibilityApplication.VIRTUAL_THREADS);
        await().untilAsserted(() ->
                assertThat(operations().find("orders", handled.id())).isEmpty());
        MATRIX.passed(combination);
    }

    @Test
    void failuresAreRetriedAndThenDeadLettered() throws InterruptedException {
        operations().send(message("failing", "failing-1").build());

        assertThat(next(handlers().failed).attempt()).isEqualTo(1);
        assertThat(next(handlers().failed).attempt()).isEqualTo(2);
        DeadLetter notified = next(handlers().dead);
        assertThat(notified.messageId()).isEqualTo("failing-1");
        assertThat(admin().deadLetters("failing", 10).deadLetters())
                .extracting(DeadLetter::messageId)
                .containsExactly("failing-1");
        assertThat(inspector().deadLetterGroups("failing", 10).groups()).hasSize(1);
        admin().markReviewed("failing");
        assertThat(admin().replay("failing", notified.deadLetterId())).isEqualTo(ReplayOutcome.REPLAYED);
        next(handlers().failed);
        next(handlers().failed);
        DeadLetter again = next(handlers().dead);
        assertThat(admin().purge("failing", again.deadLetterId())).isTrue();
        MATRIX.passed(combination);
    }

    @Test
    void receivedMessagesAreSettled() {
        operations().send(message("received", "received-1").build());

        LeasedDelivery first = receive("received");
        assertThat(operations().find("received", "received-1").orElseThrow().state())
                .isEqualTo(MessageState.LEASED);
        assertThat(first.extendLease(Duration.ofMinutes(1)).join()).isTrue();
        assertThat(first.postpone(Duration.ZERO).join()).isTrue();
        LeasedDelivery postponed = receive("received");
        assertThat(postponed.retry(Duration.ZERO, "once more").join()).isTrue();
        LeasedDelivery second = receive("received");
        assertThat(second.attempt()).isEqualTo(2);
        assertThat(second.release().join()).isTrue();
        assertThat(receive("received").deadLetter("unusable").join()).isTrue();
        assertThat(admin().counts("received").dead()).isEqualTo(1);
        operations().send(message("received", "received-2").build());
        assertThat(receive("received").acknowledge().join()).isTrue();
        MATRIX.passed(combination);
    }

    @Test
    void messagesAreFoundCancelledAndRescheduledById() {
        operations().send(message("by-id", "by-id-1").delay(LATER).build());
        operations().send(message("by-id", "by-id-2").delay(LATER).build());

        assertThatExceptionOfType(DuplicateMessageException.class)
                .isThrownBy(() -> operations().send(message("by-id", "by-id-1").build()));
        assertThat(operations().cancel("by-id", "by-id-1")).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(operations().find("by-id", "by-id-1")).isEmpty();
        assertThat(operations().reschedule("by-id", "by-id-2", Duration.ofMinutes(1)))
                .isEqualTo(RescheduleOutcome.RESCHEDULED);
        operations()
                .send(message("by-id", "by-id-2")
                        .onDuplicate(OnDuplicate.REPLACE)
                        .build());
        assertThat(receive("by-id").acknowledge().join()).isTrue();
        MATRIX.passed(combination);
    }

    @Test
    void batchesAreSentAndHandled() throws InterruptedException {
        operations()
                .sendAll(IntStream.range(0, 100)
                        .mapToObj(i -> DelayMessage.to("batch")
                                .payload(new Order("b" + i))
                                .build())
                        .toList());

        for (int i = 0; i < 100; i++) {
            next(handlers().batches);
        }
        assertThat(handlers().batches).isEmpty();
        MATRIX.passed(combination);
    }

    @Test
    void shardsOfATopicAreConsumed() throws InterruptedException {
        for (int i = 0; i < 40; i++) {
            operations()
                    .send(message("sharded", "sharded-" + i)
                            .delay(Duration.ofMillis(200))
                            .build());
        }

        for (int i = 0; i < 40; i++) {
            assertThat(next(handlers().sharded).lateMillis()).isNotNegative();
        }
        assertThat(inspector().topic("sharded").orElseThrow().shards()).isEqualTo(4);
        MATRIX.passed(combination);
    }

    @Test
    void pausedTopicIsHandledAfterItsResumption() throws InterruptedException {
        admin().pauseTopic("pausable");
        operations().send(message("pausable", "pausable-1").build());
        assertThat(inspector().topic("pausable").orElseThrow().paused()).isTrue();

        admin().resumeTopic("pausable");

        assertThat(next(handlers().pausable).id()).isEqualTo("pausable-1");
        MATRIX.passed(combination);
    }

    @Test
    void contentIsCountedListedAndChanged() {
        operations()
                .sendAll(List.of(
                        message("content", "content-1").delay(LATER).build(),
                        message("content", "content-2").delay(LATER).build(),
                        message("content", "content-3").build()));

        assertThat(admin().counts("content").scheduled()).isEqualTo(2);
        assertThat(admin().counts("content").ready()).isEqualTo(1);
        assertThat(inspector()
                        .messages("content", MessageView.SCHEDULED, 10, null)
                        .messages())
                .hasSize(2);
        assertThat(inspector().messages("content", MessageView.READY, 10, null).messages())
                .hasSize(1);
        assertThat(inspector().upcoming("content", Duration.ofHours(2), 4).counts())
                .contains(2L);
        assertThat(inspector().find("content-1")).hasSize(1);
        assertThat(inspector().nodes().live()).hasSize(1);
        Job job = jobs().start(JobRequest.of(JobAction.CANCEL, "content"));
        await().atMost(WAIT)
                .untilAsserted(() ->
                        assertThat(jobs().job(job.id()).orElseThrow().state()).isEqualTo(Job.State.FINISHED));
        assertThat(admin().counts("content").scheduled()).isZero();
        assertThat(admin().deleteTopic("content")).isTrue();
        MATRIX.passed(combination);
    }

    private static DelayMessage.Builder message(String topic, String id) {
        return DelayMessage.to(topic).id(id).payload(new Order(id));
    }

    private static LeasedDelivery receive(String topic) {
        List<LeasedDelivery> received = bean(DelayQueueReceiver.class)
                .receive(ReceiveRequest.from(topic).waitTime(WAIT).lease(LEASE));
        assertThat(received).hasSize(1);
        return received.get(0);
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(WAIT_SECONDS, TimeUnit.SECONDS);
        assertThat(next).as("what arrives within %s s", WAIT_SECONDS).isNotNull();
        return next;
    }

    private static DelayQueueOperations operations() {
        return bean(DelayQueueOperations.class);
    }

    private static DelayQueueAdmin admin() {
        return bean(DelayQueueAdmin.class);
    }

    private static DelayQueueInspector inspector() {
        return bean(DelayQueueInspector.class);
    }

    private static DelayQueueJobs jobs() {
        return bean(DelayQueueJobs.class);
    }

    private static Handlers handlers() {
        return bean(Handlers.class);
    }

    private static <T> T bean(Class<T> type) {
        if (context == null) {
            throw new IllegalStateException("The application does not run");
        }
        return context.getBean(type);
    }
}
