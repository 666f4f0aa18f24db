package io.delayqueue.template.receive;

import io.delayqueue.coordination.ReceivedLeases;
import io.delayqueue.message.Shard;
import io.delayqueue.store.Claim;
import io.delayqueue.store.LeaseTokens;
import io.delayqueue.store.PendingSettlement;
import io.delayqueue.store.Settlement;
import io.delayqueue.store.Settlement.Extend;
import io.delayqueue.store.Settlement.Release;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The unsettled leases that this process gave, with their holders. An entry ends with the settlement, or when Redis says that the lease has ended:
 * another process may have settled it. Thread-safe.
 */
final class GivenLeases implements ReceivedLeases {

    /** Further leases are not known. */
    static final int MAX = 10_000;

    /** Maximum number of leases of which Redis is asked at once: a poll of one shard. */
    private static final int MAX_CHECKED = 500;

    /** Time after which Redis is asked of a lease, again and again; less than {@link #OLD} by an interval between reports. */
    private static final Duration CHECKED = Duration.ofSeconds(20);

    /** The shortest extension. It changes nothing, because an extension never shortens a lease. */
    private static final Duration NOTHING = Duration.ofMillis(1);

    private final LongSupplier nanoTime;
    private final Function<Shard, ReceiverShard> shards;
    private final Map<Key, Given> given = new ConcurrentHashMap<>();

    private record Key(String topic, String id) {}

    /** The holder of leases of a topic; without a client, the application itself. */
    private record Holder(String topic, @Nullable String client) {}

    private static final class Given {

        private final Shard shard;
        private final String token;
        private final int bytes;
        private final long at;
        private volatile @Nullable String client;
        /** When Redis was last asked; at first, when the lease was given. */
        private volatile long checkedAt;

        private volatile boolean checking;
        private volatile boolean confirmed;

        Given(Shard shard, String token, int bytes, long at) {
            this.shard = shard;
            this.token = token;
            this.bytes = bytes;
            this.at = at;
            this.checkedAt = at;
        }

        boolean has(String settled, String id) {
            return token.equals(settled) || LeaseTokens.receipt(token, id).equals(settled);
        }
    }

    /**
     * Creates an empty collection.
     *
     * @param shards returns the shard through which leases are released
     */
    GivenLeases(LongSupplier nanoTime, Function<Shard, ReceiverShard> shards) {
        this.nanoTime = nanoTime;
        this.shards = shards;
    }

    /** A receiver is about to get a lease. */
    void given(Shard shard, Claim claim) {
        Key key = new Key(shard.topic(), claim.id());
        if (given.size() < MAX || given.containsKey(key)) {
            given.put(key, new Given(shard, claim.token(), claim.stored().length, nanoTime.getAsLong()));
        }
    }

    /** Names the HTTP client that gets a lease. */
    void heldBy(String client, String topic, Claim claim) {
        Given lease = given.get(new Key(topic, claim.id()));
        if (lease != null && lease.token.equals(claim.token())) {
            lease.client = client;
        }
    }

    /** A settlement was given. It is sent until Redis replies; if it is rejected, the lease has ended, too. */
    void settled(String topic, Settlement settlement) {
        if (!(settlement instanceof Extend)) {
            String id = settlement.id();
            given.computeIfPresent(
                    new Key(topic, id), (key, lease) -> lease.has(settlement.token(), id) ? null : lease);
        }
    }

    @Override
    public void ended(String topic, String id) {
        given.remove(new Key(topic, id));
    }

    @Override
    public boolean isEmpty() {
        return given.isEmpty();
    }

    @Override
    public List<Held> old() {
        long now = nanoTime.getAsLong();
        check(now);
        Map<Holder, Held> holders = new HashMap<>();
        given.forEach((key, lease) -> {
            Duration age = Duration.ofNanos(now - lease.at);
            if (lease.confirmed && age.compareTo(OLD) >= 0) {
                holders.merge(
                        new Holder(key.topic, lease.client),
                        new Held(key.topic, lease.client, 1, age, key.id),
                        GivenLeases::plus);
            }
        });
        return holders.values().stream()
                .sorted(Comparator.comparing(Held::oldest).reversed())
                .toList();
    }

    private static Held plus(Held one, Held other) {
        Held older = one.oldest().compareTo(other.oldest()) >= 0 ? one : other;
        return new Held(one.topic(), one.client(), one.leases() + other.leases(), older.oldest(), older.id());
    }

    /** Asks Redis of the leases of which it was not asked for the longest time. */
    private void check(long now) {
        Set<ReceiverShard> asked = new HashSet<>();
        given.entrySet().stream()
                .filter(each -> !each.getValue().checking && now - each.getValue().checkedAt >= CHECKED.toNanos())
                .sorted(Comparator.comparingLong(each -> each.getValue().checkedAt - now))
                .limit(MAX_CHECKED)
                .forEach(each -> asked.add(check(each.getKey(), each.getValue(), now)));
        asked.forEach(ReceiverShard::wake);
    }

    private ReceiverShard check(Key key, Given lease, long now) {
        ReceiverShard shard = shards.apply(lease.shard);
        lease.checking = true;
        lease.checkedAt = now;
        shard.add(new Extend(key.id, lease.token, NOTHING), null, PendingSettlement.UNKNOWN_SIZE)
                .whenComplete((leased, failure) -> {
                    lease.checking = false;
                    if (failure == null && leased) {
                        lease.confirmed = true;
                    } else if (failure == null) {
                        given.remove(key, lease);
                    }
                });
        return shard;
    }

    @Override
    public boolean release(@Nullable String client, @Nullable String topic, Duration since) {
        long requestedAt = nanoTime.getAsLong() - since.toNanos();
        Set<ReceiverShard> released = new HashSet<>();
        given.forEach((key, lease) -> {
            if (Objects.equals(lease.client, client)
                    && (topic == null || topic.equals(key.topic))
                    && lease.at - requestedAt < 0) {
                ReceiverShard shard = shards.apply(lease.shard);
                shard.add(new Release(key.id, lease.token), null, lease.bytes);
                released.add(shard);
            }
        });
        released.forEach(ReceiverShard::wake);
        return !released.isEmpty();
    }
}
