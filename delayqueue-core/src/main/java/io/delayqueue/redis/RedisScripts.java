package io.delayqueue.redis;

import io.delayqueue.message.Completions;
import io.delayqueue.redis.RedisCallException.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts on the queue's own connections. Thread-safe.
 *
 * <p>A script is sent as its digest, and as its text if Redis does not have it (after a restart, a failover or
 * {@code SCRIPT FLUSH}). The errors {@code TRYAGAIN}, {@code ASK} and {@code MOVED} of a slot that a Cluster migrates or
 * has migrated are retried for up to a second. Each other failure is reported at once as a {@link RedisCallException}. The connection is replaced after two
 * successive timeouts, when it breaks, and when the server reports that it is no longer the master.
 *
 * <p>Futures complete on a thread of the Redis client or of the connections. Dependent stages must not block.
 */
public final class RedisScripts implements ScriptRunner {

    private static final int[] PAUSES_MILLIS = {50, 150, 300, 500};
    private final QueueConnections connections;
    private final BiConsumer<String, RedisCallException> onFailure;
    private final UnaryOperator<LuaScript> variant;

    /**
     * Creates a runner on these connections. The caller closes the connections.
     *
     * @param onFailure called with the script's name for each failed call; must return quickly and must not throw
     */
    public RedisScripts(QueueConnections connections, BiConsumer<String, RedisCallException> onFailure) {
        this(connections, onFailure, UnaryOperator.identity());
    }

    /**
     * Like the other constructor, but runs a variant of each script; for tests, which move the clock that scripts read.
     *
     * @param variant returns the script to run instead; always the same one for a script
     */
    public RedisScripts(
            QueueConnections connections,
            BiConsumer<String, RedisCallException> onFailure,
            UnaryOperator<LuaScript> variant) {
        this.connections = connections;
        this.onFailure = onFailure;
        this.variant = variant;
    }

    @Override
    public CompletableFuture<List<Object>> run(ScriptCall call) {
        CompletableFuture<List<Object>> result = new CompletableFuture<>();
        attempt(call.of(variant.apply(call.script())), 0, result);
        return result;
    }

    @Override
    public boolean isClustered() {
        return connections.isClustered();
    }

    @Override
    public List<Master> masters() {
        return connections.masters();
    }

    /** Never throws, and always completes the result. */
    private void attempt(ScriptCall call, int retries, CompletableFuture<List<Object>> result) {
        send(call).whenComplete((elements, failure) -> {
            Throwable cause = failure == null ? null : Completions.cause(failure);
            if (cause == null) {
                result.complete(elements);
            } else if (isWorthRetrying(cause, retries)) {
                CompletableFuture.delayedExecutor(PAUSES_MILLIS[retries], TimeUnit.MILLISECONDS, Runnable::run)
                        .execute(() -> attempt(call, retries + 1, result));
            } else {
                fail(call, cause, result);
            }
        });
    }

    private CompletableFuture<List<Object>> send(ScriptCall call) {
        if (!call.durability().isNone()) {
            return connections.durableCalls().run(call);
        }
        Link link = connections.present(call);
        return link != null
                ? send(link, call)
                : connections.connect(call).thenCompose(connected -> send(connected, call));
    }

    private static boolean isWorthRetrying(Throwable failure, int retries) {
        return retries < PAUSES_MILLIS.length
                && failure instanceof RedisCallException call
                && call.kind() == Kind.TRY_AGAIN;
    }

    private void fail(ScriptCall call, Throwable cause, CompletableFuture<?> result) {
        RedisCallException failure = cause instanceof RedisCallException failed ? failed : unknown(call, cause);
        try {
            onFailure.accept(call.script().name(), failure);
        } finally {
            result.completeExceptionally(failure);
        }
    }

    private CompletableFuture<List<Object>> send(Link link, ScriptCall call) {
        CompletableFuture<List<Object>> result = new CompletableFuture<>();
        send(link, call, false, new AtomicBoolean(), result);
        return result;
    }

    /**
     * @param withText whether to send the script's text instead of its digest
     * @param repeated true once the client library wrote the script a second time
     */
    private void send(
            Link link,
            ScriptCall call,
            boolean withText,
            AtomicBoolean repeated,
            CompletableFuture<List<Object>> result) {
        CompletionStage<List<Object>> sent;
        try {
            sent = link.send(call, withText, repeated);
        } catch (RuntimeException e) {
            result.completeExceptionally(failure(link, call, e, false));
            return;
        } catch (Error e) { // of the client library or the application's code in it, maybe after it sent the script
            result.completeExceptionally(unknown(call, e));
            return;
        }
        sent.whenComplete((reply, problem) -> {
            Throwable failure = problem == null ? null : Completions.cause(problem);
            if (failure == null) {
                link.replied(call);
                if (repeated.get() && !call.isRepeatable()) {
                    result.completeExceptionally(new RedisCallException(
                            Kind.UNKNOWN,
                            "The outcome of the " + call
                                    + " is unknown: the connection broke before a reply, and Redis replied to the repeat",
                            null));
                } else {
                    result.complete(elements(reply));
                }
            } else if (!withText && RedisFailure.of(failure).names("NOSCRIPT")) {
                send(link, call, true, repeated, result);
            } else {
                RedisCallException failed = failure(link, call, failure, true);
                result.completeExceptionally(repeated.get() ? afterRepeat(call, failed) : failed);
            }
        });
    }

    private RedisCallException failure(Link link, ScriptCall call, Throwable failure, boolean sending) {
        RedisFailure reported = RedisFailure.of(failure);
        RedisFailure failed = sending || reported.type() == RedisFailure.Type.ERROR_REPLY
                ? reported
                : new RedisFailure(RedisFailure.Type.NOT_SENT, reported.message());
        if (failed.type() == RedisFailure.Type.ERROR_REPLY) {
            link.replied(call);
        }
        boolean replace = switch (failed.type()) {
            case ERROR_REPLY -> failed.names("READONLY");
            case TIMED_OUT -> link.timedOut(call);
            case NOT_SENT, BROKEN -> !Thread.currentThread().isInterrupted();
        };
        if (replace) {
            connections.replace(link);
        }
        return failed.exception(call, connections.client(), failure);
    }

    /**
     * The connection broke before the reply, and the client library wrote the script again: what Redis replied, such as
     * {@code LOADING} after a restart, is about the repeat. The first one may have run.
     */
    private static RedisCallException afterRepeat(ScriptCall call, RedisCallException failed) {
        return failed.isOutcomeUnknown()
                ? failed
                : new RedisCallException(
                        Kind.UNKNOWN,
                        "The outcome of the " + call
                                + " is unknown: the connection broke before a reply, and the repeat failed: "
                                + failed.getMessage(),
                        failed);
    }

    /** For an unexpected failure of the client library, which may have sent the script. */
    private static RedisCallException unknown(ScriptCall call, Throwable cause) {
        return new RedisCallException(Kind.UNKNOWN, "The outcome of the " + call + " is unknown: " + cause, cause);
    }

    static List<Object> elements(List<?> reply) {
        List<Object> elements = new ArrayList<>(reply.size());
        for (Object element : reply) {
            elements.add(element(element));
        }
        return elements;
    }

    private static @Nullable Object element(@Nullable Object reply) {
        if (reply instanceof List<?> nested) {
            return elements(nested);
        }
        return reply instanceof String status ? status.getBytes(StandardCharsets.UTF_8) : reply;
    }
}
