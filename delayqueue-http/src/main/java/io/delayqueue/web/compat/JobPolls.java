package io.delayqueue.web.compat;

import io.delayqueue.management.guard.Client;
import io.delayqueue.template.receive.DefaultDelayQueueReceiver;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.template.receive.ReceiveRequest;
import io.delayqueue.web.guard.RejectionReason;
import io.delayqueue.web.guard.RequestFacts;
import io.delayqueue.web.waiting.BriefWait;
import io.delayqueue.web.waiting.LongPolls;
import io.delayqueue.web.waiting.LongPolls.LongPoll;
import io.delayqueue.web.waiting.TooManyWaitingException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Handles pops. A waiting client holds neither a thread nor a connection to Redis. If the response cannot be written,
 * the job is released. Thread-safe.
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
     * @return the response body, or null if the response is written here or asynchronously
     * @throws io.delayqueue.management.guard.AccessDeniedException if the client has no access to one of the topics
     */
    byte @Nullable [] pop(
            HttpServletRequest request,
            HttpServletResponse response,
            String topics,
            Client client,
            ResponseWriter writer) {
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
            poll = polls.open(client);
        } catch (TooManyWaitingException e) {
            RequestFacts.rejection(request, RejectionReason.TOO_MANY_WAITING);
            return Verb.POP.failed(e.getMessage());
        }
        CompletableFuture<List<LeasedDelivery>> receiving = receive(names);
        CompletableFuture<Popped> popping = receiving
                .thenCompose(deliveries -> {
                    DefaultDelayQueueReceiver.heldBy(client.name(), deliveries);
                    return indexed(deliveries);
                })
                .exceptionally(failure -> new Popped(() -> Verb.POP.failed(JobService.sentence(failure)), null));
        try {
            if (BriefWait.isDone(popping)) {
                respond(response, poll, popping.join(), writer);
            } else {
                wait(request, poll, receiving, popping, writer);
            }
        } catch (RuntimeException e) {
            poll.close();
            throw e;
        }
        return null;
    }

    /**
     * The result of a pop.
     *
     * @param delivery the popped job, which is released if the client cannot have received the response; null if there
     *     is none
     */
    private record Popped(Supplier<byte[]> body, @Nullable LeasedDelivery delivery) {

        /** Releases the job: its due time is unchanged, and the attempt does not count. */
        void release() {
            if (delivery != null) {
                delivery.release();
            }
        }
    }

    /**
     * Adds the popped job to the index. A job with a version was pushed, so that the index has it unless it lost the entry:
     * the client then does not wait.
     */
    private CompletableFuture<Popped> indexed(List<LeasedDelivery> deliveries) {
        if (deliveries.isEmpty()) {
            return CompletableFuture.completedFuture(new Popped(() -> NOTHING, null));
        }
        LeasedDelivery delivery = deliveries.get(0);
        Popped popped = new Popped(() -> ResponseBody.job(delivery.id(), delivery.body()), delivery);
        CompletableFuture<Void> indexing = jobs.index(delivery.topic(), delivery.id());
        return DefaultDelayQueueReceiver.hasVersion(delivery)
                ? CompletableFuture.completedFuture(popped)
                : indexing.thenApply(indexed -> popped);
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

    private void wait(
            HttpServletRequest request,
            LongPoll poll,
            CompletableFuture<List<LeasedDelivery>> receiving,
            CompletableFuture<Popped> popping,
            ResponseWriter writer) {
        Runnable end = () -> receiving.complete(List.of());
        AsyncResponse later;
        try {
            later = writer.begin(request, settings.maxWait(), () -> {
                poll.close();
                end.run();
            });
        } catch (RuntimeException e) { // a filter without asynchronous support
            end.run();
            popping.thenAccept(Popped::release);
            throw e;
        }
        poll.onShutdown(end);
        popping.thenAccept(popped -> respond(later, poll, popped));
    }

    private CompletableFuture<List<LeasedDelivery>> receive(List<String> topics) {
        try {
            return receiver.receiveAsync(
                    ReceiveRequest.from(topics).waitTime(settings.maxWait()).lease(settings.lease()));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static void respond(AsyncResponse later, LongPoll poll, Popped popped) {
        poll.close();
        boolean started = false;
        try {
            later.write(popped.body(), popped::release);
            started = true;
        } finally {
            if (!started) {
                popped.release();
            }
        }
    }

    /** Responds on the thread of the request. */
    private static void respond(HttpServletResponse response, LongPoll poll, Popped popped, ResponseWriter writer) {
        poll.close();
        boolean written = false;
        try {
            written = writer.isWritten(
                    response, HttpServletResponse.SC_OK, popped.body().get());
        } finally {
            if (!written) {
                popped.release();
            }
        }
    }
}
