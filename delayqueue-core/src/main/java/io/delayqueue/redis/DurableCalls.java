package io.delayqueue.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.Completions;
import io.delayqueue.message.Durability;
import io.delayqueue.message.DurationText;
import io.delayqueue.redis.MasterConnection.Reply;
import io.delayqueue.redis.RedisCallException.Kind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.ReturnType;

/**
 * Runs script calls whose writes replicas must confirm. {@code WAIT} concerns the connection that wrote, so that each
 * master has a connection of its own for these calls. Calls that arrive while a group is in progress form the next
 * group: their scripts and one {@code WAIT} are sent in one pipeline. Other calls are never delayed. Thread-safe.
 *
 * <p>From Redis 7.2 on, {@code WAIT} concerns the last write of its connection only. A script that repeats an earlier
 * call writes nothing, although the earlier write may not be replicated. Therefore a write of the queue's own precedes
 * {@code WAIT}. A replica that has it also has all writes before it.
 */
final class DurableCalls implements AutoCloseable {

    private static final int MAX_CALLS = 100;
    /** Most bytes of the arguments of a group; a larger call is a group of its own. */
    private static final long MAX_BYTES = 4 << 20;
    /** Time without use after which a connection is tested first: the server may have closed it. */
    private static final long MAX_IDLE = Duration.ofSeconds(1).toNanos();

    /** While the memory is full, Redis rejects a script unless its first write needs no memory. */
    private static final byte[] WRITE =
            bytes("redis.call('DEL', KEYS[1]) redis.call('SET', KEYS[1], '') redis.call('DEL', KEYS[1])");

    private static final byte[] WRITTEN_KEY = bytes(".durable");
    private static final List<List<byte[]>> PING = List.of(List.of(bytes("PING")));

    private final QueueConnections connections;
    private final Duration commandTimeout;
    private final LongSupplier nanoTime;
    /** By node; outside a Cluster there is one master, without a node. */
    private final Map<String, Master> masters = new ConcurrentHashMap<>();
    /** The masters of a Cluster by slot, as far as they are known. */
    private final Map<Integer, RedisNode> nodes = new ConcurrentHashMap<>();
    /** By slot, the searches for the others. */
    private final Map<Integer, CompletableFuture<RedisNode>> searches = new ConcurrentHashMap<>();

    private volatile boolean closed;

    DurableCalls(QueueConnections connections, Duration commandTimeout, LongSupplier nanoTime) {
        this.connections = connections;
        this.commandTimeout = commandTimeout;
        this.nanoTime = nanoTime;
    }

    private record Pending(ScriptCall call, CompletableFuture<List<Object>> result) {}

    /**
     * Runs a call and waits for the confirmation.
     *
     * @return the reply with one more element: null if the write is confirmed, else a {@link RedisCallException} of
     *     the kind {@link Kind#NOT_CONFIRMED}; fails like {@link ScriptRunner#run}
     */
    CompletableFuture<List<Object>> run(ScriptCall call) {
        if (!connections.client().isClustered()) {
            return masters.computeIfAbsent("", any -> new Master(null)).run(call);
        }
        RedisNode known = nodes.get(call.slot());
        CompletableFuture<RedisNode> node = known != null ? CompletableFuture.completedFuture(known) : search(call);
        return node.handle((found, failure) -> {
                    if (failure == null) {
                        return found;
                    }
                    Throwable cause = Completions.cause(failure);
                    throw cause instanceof RedisCallException failed ? failed : notSent(call, cause);
                })
                .thenCompose(found -> masters.computeIfAbsent(found.asString(), any -> new Master(found))
                        .run(call));
    }

    /** Searches the master of a slot, once for all calls that need it meanwhile: a search blocks a thread. */
    private CompletableFuture<RedisNode> search(ScriptCall call) {
        CompletableFuture<RedisNode> result = new CompletableFuture<>();
        CompletableFuture<RedisNode> current = searches.putIfAbsent(call.slot(), result);
        if (current != null) {
            return current;
        }
        connections
                .connect(call)
                .thenApplyAsync(link -> findNode(link, call), connections.executor())
                .whenComplete((node, failure) -> {
                    searches.remove(call.slot());
                    if (failure == null) {
                        result.complete(node);
                    } else {
                        result.completeExceptionally(failure);
                    }
                });
        return result;
    }

    /** Writes first: the reply corrects the client's map of slots if it is outdated. */
    private RedisNode findNode(Link link, ScriptCall call) {
        try (RedisClusterConnection cluster = link.factory().getClusterConnection()) {
            byte[] key = writtenKey(call);
            cluster.scriptingCommands().eval(WRITE, ReturnType.VALUE, 1, key);
            RedisNode node = cluster.clusterGetNodeForKey(key);
            if (node == null) {
                throw new IllegalStateException("no master serves slot " + call.slot());
            }
            nodes.put(call.slot(), node);
            return node;
        }
    }

    private RedisCallException notSent(ScriptCall call, Throwable cause) {
        String why = RedisFailure.of(cause).message();
        return new RedisCallException(
                Kind.NOT_SENT,
                connections.client().server() + " cannot be reached for the " + call + ": " + why,
                cause);
    }

    private static byte[] writtenKey(ScriptCall call) {
        byte[] first = call.keys().get(0);
        byte[] key = Arrays.copyOf(first, first.length + WRITTEN_KEY.length);
        System.arraycopy(WRITTEN_KEY, 0, key, first.length, WRITTEN_KEY.length);
        return key;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static byte[] bytes(long number) {
        return bytes(Long.toString(number));
    }

    /** Closes the connections. A connection that is in use is closed when its group ends. Waiting calls fail. */
    @Override
    public void close() {
        closed = true;
        masters.values().forEach(Master::closeIfIdle);
    }

    /** The calls of one master, on at most one thread at a time. A run sends one group. */
    private final class Master implements Runnable {

        private final @Nullable RedisNode node;
        private final Queue<Pending> waiting = new ArrayDeque<>();
        private boolean running;
        private @Nullable MasterConnection connection;
        private long usedAt;
        /** The scripts that Redis has, as far as this connection knows. */
        private final Set<String> scripts = new HashSet<>();

        Master(@Nullable RedisNode node) {
            this.node = node;
        }

        CompletableFuture<List<Object>> run(ScriptCall call) {
            Pending pending = new Pending(call, new CompletableFuture<>());
            synchronized (this) {
                waiting.add(pending);
                if (running) {
                    return pending.result;
                }
                running = true;
            }
            submit();
            return pending.result;
        }

        private void submit() {
            try {
                connections.executor().execute(this);
            } catch (Error e) { // the heap is full
                failWaiting(e);
            }
        }

        private void failWaiting(Error e) {
            for (Pending next = poll(); next != null; next = poll()) {
                next.result.completeExceptionally(notSent(next.call, e));
            }
        }

        /** The next call; after the last one no run is in progress. */
        private synchronized @Nullable Pending poll() {
            running = !waiting.isEmpty();
            return waiting.poll();
        }

        @Override
        public void run() {
            List<Pending> calls = new ArrayList<>();
            try {
                take(calls);
                exchange(calls);
            } catch (RuntimeException | Error e) {
                disconnect();
                calls.forEach(each -> each.result.completeExceptionally(
                        RedisFailure.of(e).exception(each.call, connections.client(), e)));
            } finally {
                if (continues()) {
                    submit(); // in turn with other tasks, which may wait for the only thread
                }
            }
        }

        /** Whether calls wait, so that another run follows. */
        private synchronized boolean continues() {
            running = !waiting.isEmpty();
            closeIfIdle();
            return running;
        }

        /** Takes the next calls that ask for the same confirmation. */
        private synchronized void take(List<Pending> group) {
            long bytes = 0;
            for (Pending next = waiting.peek(); next != null; next = waiting.peek()) {
                bytes += next.call.bytes();
                if (group.size() == MAX_CALLS
                        || (!group.isEmpty()
                                && (bytes > MAX_BYTES || !durability(group).equals(next.call.durability())))) {
                    break;
                }
                group.add(waiting.remove());
            }
        }

        private static Durability durability(List<Pending> group) {
            return group.get(0).call.durability();
        }

        synchronized void closeIfIdle() {
            if (closed && !running) {
                disconnect();
            }
        }

        private void disconnect() {
            MasterConnection present = connection;
            connection = null;
            scripts.clear();
            if (node != null) {
                nodes.values().removeIf(node::equals);
            }
            if (present != null) {
                present.close();
            }
        }

        private void exchange(List<Pending> group) {
            MasterConnection connected;
            try {
                connected = connected();
            } catch (RuntimeException | Error e) {
                disconnect();
                group.forEach(each -> each.result.completeExceptionally(notSent(each.call, e)));
                return;
            }
            List<Pending> withoutScript = exchange(connected, group, false);
            if (!withoutScript.isEmpty()) {
                exchange(connected, withoutScript, true);
            }
        }

        private MasterConnection connected() {
            if (closed) {
                throw new IllegalStateException("closed");
            }
            MasterConnection present = connection;
            if (present != null && nanoTime.getAsLong() - usedAt > MAX_IDLE) {
                Throwable failure =
                        present.exchange(PING, commandTimeout).get(0).failure();
                if (failure != null) {
                    disconnect();
                    present = null;
                }
            }
            if (present == null) {
                present = connections.client().connectToMaster(node);
                connection = present;
            }
            return present;
        }

        /**
         * Sends calls in one pipeline and completes their results.
         *
         * @return the calls whose script Redis does not have; none if the calls contain the text of their scripts
         */
        private List<Pending> exchange(MasterConnection connected, List<Pending> group, boolean withText) {
            Durability durability = durability(group);
            List<List<byte[]>> commands = new ArrayList<>(group.size() + 2);
            group.forEach(each -> {
                boolean first = scripts.add(each.call.script().sha1());
                commands.add(each.call.command(withText || first));
            });
            commands.add(List.of(bytes("EVAL"), WRITE, bytes(1), writtenKey(group.get(0).call)));
            commands.add(confirmation(durability));
            List<Reply> replies = connected.exchange(commands, commandTimeout.plus(durability.within()));
            usedAt = nanoTime.getAsLong();
            Reply written = replies.get(group.size());
            Reply confirmation = written.failure() == null ? replies.get(group.size() + 1) : written;
            List<Pending> withoutScript = new ArrayList<>();
            boolean broken = isBroken(confirmation.failure());
            for (int i = 0; i < group.size(); i++) {
                Pending each = group.get(i);
                Throwable failure = replies.get(i).failure();
                broken |= isBroken(failure);
                if (failure == null && !isMissing(confirmation.failure())) {
                    List<Object> reply = RedisScripts.elements(replies.get(i).elements());
                    reply.add(unconfirmed(each.call, confirmation));
                    each.result.complete(reply);
                } else if (!withText && RedisFailure.of(failure).names("NOSCRIPT")) {
                    withoutScript.add(each);
                } else {
                    Throwable cause = failure == null ? confirmation.failure() : failure;
                    RedisFailure reported = RedisFailure.of(cause);
                    // a script with a reply has run, although the commands behind it may not have been sent
                    RedisFailure failed =
                            failure == null ? new RedisFailure(RedisFailure.Type.BROKEN, reported.message()) : reported;
                    each.result.completeExceptionally(failed.exception(each.call, connections.client(), cause));
                }
            }
            if (broken) {
                disconnect();
            }
            return withoutScript;
        }

        /** Whether a reply is missing: without the one to {@code WAIT}, the outcome of each script is unknown. */
        private static boolean isMissing(@Nullable Throwable failure) {
            return failure != null && RedisFailure.of(failure).type() != RedisFailure.Type.ERROR_REPLY;
        }

        /** Whether the connection cannot be used again, or does not lead to the master. */
        private static boolean isBroken(@Nullable Throwable failure) {
            if (failure == null) {
                return false;
            }
            RedisFailure reported = RedisFailure.of(failure);
            return reported.type() != RedisFailure.Type.ERROR_REPLY
                    || reported.names("READONLY")
                    || reported.names("MOVED")
                    || reported.names("ASK")
                    || reported.names("UNBLOCKED");
        }

        private static List<byte[]> confirmation(Durability durability) {
            byte[] replicas = bytes(durability.replicas());
            byte[] within = bytes(durability.within().toMillis());
            return durability.fsynced()
                    ? List.of(bytes("WAITAOF"), bytes(1), replicas, within)
                    : List.of(bytes("WAIT"), replicas, within);
        }

        private static @Nullable RedisCallException unconfirmed(ScriptCall call, Reply confirmation) {
            Durability durability = call.durability();
            Throwable failure = confirmation.failure();
            String why;
            if (failure != null) {
                why = "Redis rejected the confirmation of the " + call + ": "
                        + RedisFailure.of(failure).message();
            } else {
                List<Object> counts = confirmation.elements();
                long replicas = (Long) counts.get(counts.size() - 1);
                boolean local = !durability.fsynced() || (Long) counts.get(0) == 1;
                if (local && replicas >= durability.replicas()) {
                    return null;
                }
                why = replicas + " of " + durability.replicas() + " replicas" + (local ? "" : " and not the master")
                        + (durability.fsynced() ? " had it on disk" : " confirmed it") + " within "
                        + DurationText.of(durability.within());
            }
            return new RedisCallException(Kind.NOT_CONFIRMED, why, failure);
        }
    }
}
