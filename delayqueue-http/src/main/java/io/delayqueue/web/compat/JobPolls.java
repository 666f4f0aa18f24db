package io.delayqueue.web.compat;

import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.web.guard.Client;
import io.delayqueue.web.guard.Rejection;
import io.delayqueue.web.guard.RequestFacts;
import io.delayqueue.web.waiting.LongPoll;
import io.delayqueue.web.waiting.LongPolls;
import io.delayqueue.web.waiting.TooManyWaitingException;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Handles pops. A waiting client holds neither a thread nor a connection to Redis. Nothing is received for a
 * disconnected client. Thread-safe.
 */
public final class JobPolls {

    private static final byte[] NO_TOPIC = ResponseBody.failed("topic不能为空");
    private static final byte[] NOTHING = ResponseBody.done(ResponseBody.DONE);
    private static final int MAX_TOPICS = 100;

    private final DelayQueueReceiver receiver;
    private final JobService jobs;
    private final LongPolls polls;
    private final CompatSettings settings;

    /**
     * Creates the handler.
     *
     * @param polls waiting clients of all HTTP interfaces
     */
    public JobPolls(DelayQueueReceiver receiver, JobService jobs, LongPolls polls, CompatSettings settings) {
        this.receiver = receiver;
        this.jobs = jobs;
        this.polls = polls;
        this.settings = settings;
    }

    /**
     * Starts a pop.
     *
     * @param topics comma-separated, in order of priority, at most 100
     * @return the response body, or null if the response is written asynchronously
     * @throws io.delayqueue.web.guard.AccessDeniedException if the client has no access to one of the topics
     */
    byte @Nullable [] pop(HttpServletRequest request, String topics, Client client, ResponseWriter writer) {
        if (topics.isEmpty()) {
            return NO_TOPIC;
        }
        List<String> names = names(topics);
        if (names.isEmpty()) {
            return NO_TOPIC;
        }
        if (names.size() > MAX_TOPICS) {
            return Verb.POP.failed("A pop must name at most " + MAX_TOPICS + " topics, but this one names more");
        }
        names.forEach(client::requireTopic);
        LongPoll poll;
        try {
            poll = polls.open(request, client);
        } catch (TooManyWaitingException e) {
            RequestFacts.rejection(request, Rejection.TOO_MANY_WAITING);
            return Verb.POP.failed(e.getMessage());
        }
        try {
            await(writer.begin(request, settings.maxWait()), poll, names, writer);
        } catch (RuntimeException e) {
            poll.close();
            throw e;
        }
        return null;
    }

    /** Parses at most one name more than allowed, which is enough to detect a longer list. */
    private static List<String> names(String topics) {
        Set<String> names = new LinkedHashSet<>();
        int from = 0;
        while (from <= topics.length() && names.size() <= MAX_TOPICS) {
            int comma = topics.indexOf(',', from);
            int end = comma < 0 ? topics.length() : comma;
            String name = topics.substring(from, end);
            if (!name.isBlank()) {
                names.add(name);
            }
            from = end + 1;
        }
        return List.copyOf(names);
    }

    private void await(AsyncContext async, LongPoll poll, List<String> topics, ResponseWriter writer) {
        CompletableFuture<List<LeasedDelivery>> receiving = receive(topics);
        Runnable end = () -> receiving.complete(List.of());
        ResponseWriter.onEnd(async, () -> {
            poll.close();
            end.run();
        });
        poll.onDisconnect(() -> {
            end.run();
            ResponseWriter.endDisconnected(async);
        });
        poll.onShutdown(end);
        CompletableFuture<?> ignored = receiving.whenComplete((deliveries, failure) -> {
            if (failure != null) {
                respond(async, poll, writer, () -> Verb.POP.failed(JobService.sentence(failure)), null);
            } else if (deliveries.isEmpty()) {
                respond(async, poll, writer, () -> NOTHING, null);
            } else {
                LeasedDelivery delivery = deliveries.get(0);
                CompletableFuture<?> unused = jobs.index(delivery.topic(), delivery.id())
                        .thenAccept(indexed -> respond(
                                async, poll, writer, () -> ResponseBody.job(delivery.id(), delivery.body()), delivery));
            }
        });
    }

    private CompletableFuture<List<LeasedDelivery>> receive(List<String> topics) {
        try {
            return receiver.receiveAsync(topics, 1, settings.maxWait(), settings.lease());
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static void respond(
            AsyncContext async,
            LongPoll poll,
            ResponseWriter writer,
            Supplier<byte[]> body,
            @Nullable LeasedDelivery delivery) {
        boolean started = false;
        try {
            started = poll.respond(() -> writer.writeLater(async, body, () -> release(delivery)));
        } finally {
            if (!started) {
                release(delivery);
            }
        }
    }

    /** Releases the job: its due time is unchanged, and the attempt does not count. */
    private static void release(@Nullable LeasedDelivery delivery) {
        if (delivery != null) {
            CompletableFuture<?> ignored = delivery.release();
        }
    }
}
