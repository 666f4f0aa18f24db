package io.delayqueue.test.redis.topology;

import io.delayqueue.test.redis.RedisErrorException;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The migration of a slot from one master to another, in steps that the test controls. Between steps, a test can check
 * the behavior of clients.
 *
 * <p>A failover of one of the two masters loses its migration state: start a new migration. Not thread-safe.
 */
public final class SlotMove {

    /** Keys can be large, and the old master blocks while it sends one. */
    private static final Duration MIGRATE_TIMEOUT = Duration.ofMinutes(2);

    private static final int BATCH = 100;

    private final RedisClusterProcess cluster;

    private final String slot;

    private final End from;

    private final End to;

    private SlotMove(RedisClusterProcess cluster, int slot, End from, End to) {
        this.cluster = cluster;
        this.slot = Integer.toString(slot);
        this.from = from;
        this.to = to;
    }

    static SlotMove begin(RedisClusterProcess cluster, int slot, End from, End to) {
        SlotMove move = new SlotMove(cluster, slot, from, to);
        // The importing master first, since the migrating master redirects clients to it.
        to.node().command("CLUSTER", "SETSLOT", move.slot, "IMPORTING", from.id());
        from.node().command("CLUSTER", "SETSLOT", move.slot, "MIGRATING", to.id());
        return move;
    }

    /**
     * The number of keys of the slot that its old master still holds.
     *
     * @return keys, 0 or more
     */
    public long remaining() {
        Object count = this.from.node().command("CLUSTER", "COUNTKEYSINSLOT", this.slot);
        return (Long) Objects.requireNonNull(count);
    }

    /**
     * Moves some keys by one {@code MIGRATE}. Redis chooses the keys.
     *
     * @param count the maximum number of keys, at least 1
     * @return the number of moved keys; 0 if none is left
     * @throws RedisErrorException if the new master cannot take them
     */
    public int moveSomeKeys(int count) {
        Object reply = this.from.node().command("CLUSTER", "GETKEYSINSLOT", this.slot, Integer.toString(count));
        String[] keys = ((List<?>) Objects.requireNonNull(reply))
                .stream().map(String.class::cast).toArray(String[]::new);
        moveKeys(keys);
        return keys.length;
    }

    /**
     * Moves these keys by one {@code MIGRATE}. Keys that do not exist are skipped.
     *
     * @param keys keys of the slot
     * @throws RedisErrorException if the new master cannot take them
     */
    public void moveKeys(String... keys) {
        if (keys.length == 0) {
            return;
        }
        RedisServerProcess target = this.to.node();
        List<String> command = new ArrayList<>(List.of(
                "MIGRATE",
                target.host(),
                Integer.toString(target.port()),
                "",
                "0",
                Long.toString(MIGRATE_TIMEOUT.toMillis()),
                "KEYS"));
        command.addAll(List.of(keys));
        this.from.node().command(MIGRATE_TIMEOUT, command.toArray(String[]::new));
    }

    /**
     * Moves the remaining keys, then assigns the slot to the new master at all masters.
     *
     * @throws RedisErrorException if the new master cannot take a key; the slot then stays in migration
     */
    public void finish() {
        while (moveSomeKeys(BATCH) > 0) {}
        // The new master first, so that the slot has an owner if the old master fails now.
        assignAt(this.to.node());
        assignAt(this.from.node());
        this.cluster.masters().stream()
                .filter((master) -> master != this.to.node() && master != this.from.node())
                .forEach(this::assignAt);
    }

    private void assignAt(RedisServerProcess master) {
        master.command("CLUSTER", "SETSLOT", this.slot, "NODE", this.to.id());
    }

    record End(RedisServerProcess node, String id) {}
}
