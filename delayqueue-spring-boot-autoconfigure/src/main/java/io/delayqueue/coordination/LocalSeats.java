package io.delayqueue.coordination;

import io.delayqueue.message.Shard;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The seats of this node, and the shards of which a listener runs here, seated or not. Of several seats of a shard the first
 * one watches. Thread-safe.
 */
final class LocalSeats {

    private final String node;
    private final Supplier<Members> members;
    private final BooleanSupplier inTheDark;
    private final Runnable onLeave;
    private final Map<Shard, ShardSeats> byShard = new LinkedHashMap<>();
    private final Map<Shard, Integer> attendances = new HashMap<>();

    /**
     * For a node.
     *
     * @param members as they were last heard of
     * @param inTheDark whether that is too long ago, so that this node is to watch everything
     * @param onLeave called after a seat was left
     */
    LocalSeats(String node, Supplier<Members> members, BooleanSupplier inTheDark, Runnable onLeave) {
        this.node = node;
        this.members = members;
        this.inTheDark = inTheDark;
        this.onLeave = onLeave;
    }

    Seat take(Shard shard, Runnable onChange) {
        synchronized (byShard) {
            ShardSeats seats = byShard.computeIfAbsent(shard, ShardSeats::new);
            LocalSeat seat = new LocalSeat(seats, onChange);
            seats.taken = with(seats.taken, seat);
            return seat;
        }
    }

    private static List<LocalSeat> with(List<LocalSeat> some, LocalSeat another) {
        List<LocalSeat> all = new ArrayList<>(some);
        all.add(another);
        return List.copyOf(all);
    }

    void attend(Shard shard) {
        synchronized (byShard) {
            attendances.merge(shard, 1, Integer::sum);
        }
    }

    void neglect(Shard shard) {
        synchronized (byShard) {
            attendances.computeIfPresent(shard, (key, count) -> count == 1 ? null : count - 1);
        }
    }

    /** What the node says of itself. */
    String consumed() {
        synchronized (byShard) {
            return ConsumedTopics.write(byShard.keySet(), attendances.keySet());
        }
    }

    /** Shards of which there is a seat. */
    Set<Shard> shards() {
        synchronized (byShard) {
            return Set.copyOf(byShard.keySet());
        }
    }

    /** Tells each seat to which a shard has come, and each that watches when the first others came, whom it can call. */
    void tell() {
        all().forEach(LocalSeat::tellIfNew);
    }

    /** Has every consumer of this node look once, whoever watches. */
    void lookAll() {
        all().forEach(seat -> seat.onChange.run());
    }

    private List<LocalSeat> all() {
        List<LocalSeat> all = new ArrayList<>();
        synchronized (byShard) {
            byShard.values().forEach(seats -> all.addAll(seats.taken));
        }
        return all;
    }

    /** The seats of one shard. What is asked at every step takes no lock and no hash. */
    private final class ShardSeats {

        private final Shard shard;
        private volatile List<LocalSeat> taken = List.of();
        private volatile Standing standing;

        ShardSeats(Shard shard) {
            this.shard = shard;
            this.standing = Standing.of(shard, node, Members.UNKNOWN);
        }

        Standing standing() {
            Members now = members.get();
            Standing known = standing;
            if (known.among != now) {
                known = Standing.of(shard, node, now);
                standing = known;
            }
            return known;
        }
    }

    private record Standing(Members among, boolean watches, boolean hasPeers) {
        static Standing of(Shard shard, String node, Members among) {
            return new Standing(among, among.dealTo(node, shard), among.count(Members.Topic.of(shard)) > 1);
        }
    }

    private final class LocalSeat implements Seat {

        private final ShardSeats seats;
        private final Runnable onChange;
        private volatile boolean watched;
        private volatile boolean hadPeers;

        LocalSeat(ShardSeats seats, Runnable onChange) {
            this.seats = seats;
            this.onChange = onChange;
        }

        @Override
        public boolean watches() {
            List<LocalSeat> taken = seats.taken;
            return !taken.isEmpty() && taken.get(0) == this && (inTheDark.getAsBoolean() || seats.standing().watches);
        }

        @Override
        public boolean hasPeers() {
            return seats.taken.size() > 1 || seats.standing().hasPeers;
        }

        void tellIfNew() {
            boolean now = watches();
            boolean peers = hasPeers();
            if (now && (!watched || (peers && !hadPeers))) {
                onChange.run();
            }
            watched = now;
            hadPeers = peers;
        }

        @Override
        public void leave() {
            List<LocalSeat> left;
            synchronized (byShard) {
                left = seats.taken.stream().filter(seat -> seat != this).toList();
                seats.taken = left;
                if (left.isEmpty()) {
                    byShard.remove(seats.shard, seats);
                }
            }
            if (!left.isEmpty()) {
                left.get(0).tellIfNew();
            }
            onLeave.run();
        }
    }
}
