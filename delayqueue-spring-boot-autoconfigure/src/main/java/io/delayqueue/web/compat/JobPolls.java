package io.delayqueue.web.compat;

import io.delayqueue.template.pull.DelayQueueReceiver;
import io.delayqueue.template.pull.PulledDelivery;
import io.delayqueue.web.waiting.LongPoll;
import io.delayqueue.web.waiting.LongPolls;
import io.delayqueue.web.waiting.TooManyWaitingException;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Clients that pop. Who waits holds neither a thread nor a connection to Redis; nothing is taken in the name of one that
 * hung up. Thread-safe.
 */
public final class JobPolls {

    private static final byte[] NO_TOPIC = Answer.failed("topic不能为空");
    private static final byte[] NOTHING = Answer.done(Answer.DONE);
    private static final int MOST_TOPICS = 100;

    private final DelayQueueReceiver receiver;
    private final JobDesk desk;
    private final LongPolls polls;
    private final CompatSettings settings;
    private final Set<Wait> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean ended;

    /** Equal to itself only. */
    private static final class Wait {

        private final CompletableFuture<List<PulledDelivery>> receiving;

        Wait(CompletableFuture<List<PulledDelivery>> receiving) {
            this.receiving = receiving;
        }

        /** Nothing is taken in its name any more. */
        void end() {
            receiving.complete(List.of());
        }
    }

    /** Over a queue and the clients that wait at all doors. */
    public JobPolls(DelayQueueReceiver receiver, JobDesk desk, LongPolls polls, CompatSettings settings) {
        this.receiver = receiver;
        this.desk = desk;
        this.polls = polls;
        this.settings = settings;
    }

    /** Answers everybody who waits with nothing, and whoever comes from now on, so that the application can end. */
    public void endWaits() {
        ended = true;
        waiting.forEach(Wait::end);
    }

    /** Lets clients wait again. */
    public void resume() {
        ended = false;
    }

    /**
     * Begins a pop.
     *
     * @param topics separated by commas, in the order of their priority
     * @return an answer that is known already, or null: then the request is answered later
     */
    byte @Nullable [] pop(HttpServletRequest request, String topics, AnswerWriter writer) {
        if (topics.isEmpty()) {
            return NO_TOPIC;
        }
        List<String> names = Stream.of(topics.split(",", -1))
                .filter(name -> !name.isBlank())
                .distinct()
                .toList();
        if (names.isEmpty()) {
            return NO_TOPIC;
        }
        if (names.size() > MOST_TOPICS) {
            return Verb.POP.failed(
                    "One pop may name " + MOST_TOPICS + " topics at most, but this one names " + names.size());
        }
        LongPoll poll;
        try {
            poll = polls.open(request);
        } catch (TooManyWaitingException e) {
            return Verb.POP.failed(e.getMessage());
        }
        try {
            attend(writer.begin(request, settings.maxWait()), poll, names, writer);
        } catch (RuntimeException e) {
            poll.close();
            throw e;
        }
        return null;
    }

    private void attend(AsyncContext async, LongPoll poll, List<String> topics, AnswerWriter writer) {
        CompletableFuture<List<PulledDelivery>> receiving = receive(topics);
        Wait wait = new Wait(receiving);
        async.addListener(new EndListener(() -> {
            poll.close();
            wait.end();
        }));
        poll.onHangUp(() -> {
            wait.end();
            AnswerWriter.end(async);
        });
        waiting.add(wait);
        if (ended) {
            wait.end();
        }
        CompletableFuture<?> ignored = receiving.whenComplete((deliveries, failure) -> {
            waiting.remove(wait);
            if (failure != null) {
                answer(async, poll, writer, () -> Verb.POP.failed(JobDesk.sentence(failure)), null);
            } else if (deliveries.isEmpty()) {
                answer(async, poll, writer, () -> NOTHING, null);
            } else {
                PulledDelivery delivery = deliveries.get(0);
                CompletableFuture<?> unused = desk.met(delivery.topic(), delivery.id())
                        .thenAccept(met -> answer(
                                async, poll, writer, () -> Answer.job(delivery.id(), delivery.body()), delivery));
            }
        });
    }

    private CompletableFuture<List<PulledDelivery>> receive(List<String> topics) {
        try {
            return receiver.receiveAsync(topics, 1, ended ? Duration.ZERO : settings.maxWait(), settings.lease());
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static void answer(
            AsyncContext async,
            LongPoll poll,
            AnswerWriter writer,
            Supplier<byte[]> body,
            @Nullable PulledDelivery delivery) {
        boolean begun = false;
        try {
            begun = poll.answer(() -> writer.writeLater(async, body, () -> release(delivery)));
        } finally {
            if (!begun) {
                release(delivery);
            }
        }
    }

    /** The attempt doesn't count; the job is due as before. */
    private static void release(@Nullable PulledDelivery delivery) {
        if (delivery != null) {
            CompletableFuture<?> ignored = delivery.release();
        }
    }
}
