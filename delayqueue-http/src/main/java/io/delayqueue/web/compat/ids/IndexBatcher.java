package io.delayqueue.web.compat.ids;

import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Runs operations on the index, several with one script call. Operations that arrive while calls are in progress share
 * the next call. It starts when no call is in progress, or when at least as many operations wait as are in progress. Calls
 * start in the order of their operations. Never blocks. Thread-safe.
 */
final class IndexBatcher {

    private static final int MAX_CALLS = 3;
    private static final int MAX_OPERATIONS = 100;

    private final ScriptRunner scripts;
    private final LuaScript script;
    private final Queue<Operation> waiting = new ArrayDeque<>();
    private int calls;
    private int inProgress;

    /**
     * Creates a batcher. Its operations have keys on one server.
     *
     * @param script runs the operations
     */
    IndexBatcher(ScriptRunner scripts, LuaScript script) {
        this.scripts = scripts;
        this.script = script;
    }

    /**
     * An operation of the script.
     *
     * @param bucket key of the bucket of the id
     * @param reply completed with the result
     */
    @SuppressWarnings("ArrayRecordComponent") // straight to the client library
    private record Operation(
            String name, byte[] bucket, String id, Object[] arguments, CompletableFuture<List<?>> reply) {}

    /** Runs an operation with texts and numbers as arguments. */
    CompletableFuture<List<?>> run(String name, byte[] bucket, String id, Object... arguments) {
        Operation operation = new Operation(name, bucket, id, arguments, new CompletableFuture<>());
        synchronized (this) {
            waiting.add(operation);
        }
        startCalls();
        return operation.reply;
    }

    private void startCalls() {
        for (List<Operation> next = nextCall(); !next.isEmpty(); next = nextCall()) {
            List<Operation> call = next;
            scripts.run(call(call)).whenComplete((replies, failure) -> {
                ended(call.size());
                startCalls();
                for (int i = 0; i < call.size(); i++) {
                    complete(call.get(i).reply, failure == null ? (List<?>) replies.get(i) : null, failure);
                }
            });
        }
    }

    private static void complete(
            CompletableFuture<List<?>> reply, @Nullable List<?> result, @Nullable Throwable failure) {
        if (failure == null) {
            reply.complete(result);
        } else {
            reply.completeExceptionally(failure);
        }
    }

    private synchronized List<Operation> nextCall() {
        List<Operation> call = new ArrayList<>();
        if (calls == 0 || (calls < MAX_CALLS && waiting.size() >= inProgress)) {
            while (!waiting.isEmpty() && call.size() < MAX_OPERATIONS) {
                call.add(waiting.remove());
            }
        }
        if (!call.isEmpty()) {
            calls++;
            inProgress += call.size();
        }
        return call;
    }

    private synchronized void ended(int operations) {
        calls--;
        inProgress -= operations;
    }

    private ScriptCall call(List<Operation> operations) {
        List<byte[]> keys = new ArrayList<>();
        List<ByteBuffer> known = new ArrayList<>();
        int[] numbers = new int[operations.size()];
        for (int i = 0; i < numbers.length; i++) {
            ByteBuffer key = ByteBuffer.wrap(operations.get(i).bucket);
            int index = known.indexOf(key);
            if (index < 0) {
                index = keys.size();
                known.add(key);
                keys.add(operations.get(i).bucket);
            }
            numbers[i] = index + 1;
        }
        ScriptCall call = new ScriptCall(script, keys);
        for (int i = 0; i < numbers.length; i++) {
            Operation operation = operations.get(i);
            call.add(operation.name).add(numbers[i]).add(operation.id);
            for (Object argument : operation.arguments) {
                call.add(String.valueOf(argument));
            }
        }
        return call;
    }
}
