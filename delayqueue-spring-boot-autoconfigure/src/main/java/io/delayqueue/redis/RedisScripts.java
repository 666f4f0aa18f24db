package io.delayqueue.redis;

import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.redis.Verdict.Trouble;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.RedisCallback;

/**
 * Runs scripts on the queue's own connections. Thread-safe.
 *
 * <p>A script is sent by its digest, and with its text where Redis does not know it (after a restart, a failover or
 * {@code SCRIPT FLUSH}). {@code TRYAGAIN}, the answer while a Cluster migrates the slot, is retried for up to a
 * second, where the caller blocks for up to 200 ms.
 * Each other failure is told at once, as one {@link RedisCallException}. After two time-outs in a row, when a connection
 * broke and when the server says that it is no longer the master, the connection is given up for a new one.
 *
 * <p>Futures end on a thread of the Redis client or of the executor: what depends on them must not block.
 */
public final class RedisScripts implements ScriptRunner {

    private static final int[] PAUSES_MILLIS = {50, 150, 300, 500};
    /**
     * Whoever blocks holds a thread that others wait for, so that it tries for 200 ms only: the keys of a shard are moved
     * within that, and a step that fails is repeated by the engine, which sleeps without a thread.
     */
    private static final int BLOCKING_RETRIES = 2;

    private final QueueConnections connections;
    private final BiConsumer<String, RedisCallException> onFailure;

    /** On these connections, which go on belonging to the caller. */
    public RedisScripts(QueueConnections connections) {
        this(connections, (script, failure) -> {});
    }

    /**
     * The same, with somebody who hears of failures.
     *
     * @param onFailure told of each call that failed, by the script's name; must be quick and must not throw
     */
    public RedisScripts(QueueConnections connections, BiConsumer<String, RedisCallException> onFailure) {
        this.connections = connections;
        this.onFailure = onFailure;
    }

    @Override
    public List<Object> run(LuaScript script, int keyCount, byte[]... keysAndArguments) {
        ScriptCall call = new ScriptCall(script, keyCount, keysAndArguments);
        for (int retries = 0; ; retries++) {
            try {
                return once(connections.connected(call), call);
            } catch (RedisCallException e) {
                if (retries == BLOCKING_RETRIES || !isWorthRetrying(e, retries) || !pause(retries)) {
                    onFailure.accept(script.name(), e);
                    throw e;
                }
            }
        }
    }

    private List<Object> once(Link link, ScriptCall call) {
        AtomicBoolean sending = new AtomicBoolean();
        RedisCallback<List<Object>> evaluation = connection -> {
            refuseWithinTransaction(connection, call);
            sending.set(true);
            return list(evaluate(connection.scriptingCommands(), call));
        };
        try {
            List<Object> reply = link.template().execute(evaluation, true);
            link.answered(call);
            return reply;
        } catch (RedisCallException e) {
            throw e;
        } catch (RuntimeException e) {
            throw failure(link, call, e, sending.get());
        }
    }

    private static @Nullable Object evaluate(RedisScriptingCommands commands, ScriptCall call) {
        try {
            return commands.evalSha(call.script().sha1(), ReturnType.MULTI, call.keyCount(), call.arguments());
        } catch (RuntimeException e) {
            if (!Verdict.of(e).names("NOSCRIPT")) {
                throw e;
            }
            return commands.eval(call.text(), ReturnType.MULTI, call.keyCount(), call.arguments());
        }
    }

    /** Possible with the application's own factory only: the script would be queued and answer nothing. */
    private static void refuseWithinTransaction(RedisConnection connection, ScriptCall call) {
        if (connection.isQueueing() || connection.isPipelined()) {
            throw new RedisCallException(
                    Kind.NOT_SENT,
                    "A transaction or pipeline of the application is open on the connection that the delay queue shares"
                            + " with it, so the " + call + " was not sent",
                    null);
        }
    }

    @Override
    public CompletableFuture<List<Object>> runAsync(LuaScript script, int keyCount, byte[]... keysAndArguments) {
        CompletableFuture<List<Object>> result = new CompletableFuture<>();
        attempt(new ScriptCall(script, keyCount, keysAndArguments), 0, result);
        return result;
    }

    private void attempt(ScriptCall call, int retries, CompletableFuture<List<Object>> result) {
        Link link = connections.present(call);
        CompletableFuture<List<Object>> reply = link != null
                ? start(link, call)
                : connections.connect(call).thenCompose(connected -> start(connected, call));
        CompletableFuture<?> ignored = reply.whenComplete((elements, failure) -> {
            Throwable cause = failure == null ? null : unwrap(failure);
            if (cause != null && isWorthRetrying(cause, retries)) {
                CompletableFuture.delayedExecutor(PAUSES_MILLIS[retries], TimeUnit.MILLISECONDS, Runnable::run)
                        .execute(() -> attempt(call, retries + 1, result));
            } else {
                if (cause instanceof RedisCallException failed) {
                    onFailure.accept(call.script().name(), failed);
                }
                finish(result, elements, cause);
            }
        });
    }

    private CompletableFuture<List<Object>> start(Link link, ScriptCall call) {
        Driver.Sender sender = connections.driver().sender();
        if (sender != null) {
            CompletableFuture<List<Object>> result = new CompletableFuture<>();
            send(link, sender, call, false, result);
            return result;
        }
        try {
            return CompletableFuture.supplyAsync(() -> once(link, call), connections.executor());
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(failure(link, call, e, false));
        }
    }

    private void send(
            Link link, Driver.Sender sender, ScriptCall call, boolean whole, CompletableFuture<List<Object>> result) {
        CompletionStage<?> sent;
        try {
            sent = link.template().execute(connection -> sender.send(connection, call, whole), true);
        } catch (RuntimeException e) {
            result.completeExceptionally(failure(link, call, e, false));
            return;
        }
        CompletionStage<?> ignored = sent.whenComplete((reply, problem) -> {
            Throwable failure = problem == null ? null : unwrap(problem);
            if (failure == null) {
                link.answered(call);
                result.complete(list(reply));
            } else if (!whole && Verdict.of(failure).names("NOSCRIPT")) {
                send(link, sender, call, true, result);
            } else {
                result.completeExceptionally(failure(link, call, failure, true));
            }
        });
    }

    private static <T> void finish(CompletableFuture<T> result, @Nullable T reply, @Nullable Throwable failure) {
        if (failure != null) {
            result.completeExceptionally(failure);
        } else {
            result.complete(reply);
        }
    }

    private RedisCallException failure(Link link, ScriptCall call, Throwable failure, boolean sending) {
        Verdict told = Verdict.of(failure);
        Verdict verdict =
                sending || told.trouble() == Trouble.ANSWERED ? told : new Verdict(Trouble.NOT_SENT, told.sentence());
        if (verdict.trouble() == Trouble.ANSWERED) {
            link.answered(call);
        }
        boolean giveUp = switch (verdict.trouble()) {
            case ANSWERED -> verdict.names("READONLY");
            case TIMED_OUT -> link.unanswered(call);
            case NOT_SENT, BROKEN -> !Thread.currentThread().isInterrupted();
        };
        if (giveUp) {
            connections.replace(link);
        }
        String message = switch (verdict.trouble()) {
            case ANSWERED -> "Redis refused the " + call + ": " + verdict.sentence();
            case NOT_SENT -> "Redis cannot be reached for the " + call + ": " + verdict.sentence();
            case TIMED_OUT -> "Redis did not answer the " + call + " in time: " + verdict.sentence();
            case BROKEN -> "Nobody knows what became of the " + call + ": " + verdict.sentence();
        };
        return new RedisCallException(verdict.trouble().kind(), message, failure);
    }

    private static boolean isWorthRetrying(Throwable failure, int retries) {
        return retries < PAUSES_MILLIS.length
                && failure instanceof RedisCallException
                && Verdict.of(failure.getCause()).names("TRYAGAIN");
    }

    /** Returns whether it was not interrupted. */
    private static boolean pause(int retries) {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSES_MILLIS[retries]);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static Throwable unwrap(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    private static List<Object> list(@Nullable Object reply) {
        return reply instanceof List<?> elements ? elements(elements) : List.of();
    }

    private static List<Object> elements(List<?> reply) {
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
