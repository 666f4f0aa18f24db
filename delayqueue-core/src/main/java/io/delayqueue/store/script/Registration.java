package io.delayqueue.store.script;

import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.TopicRegisteredAnewException;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The registration of a topic.
 *
 * @param shards shards by index
 * @param epoch time of the registration, by Redis' clock in µs; a later registration has a later epoch
 * @param identity format, shard count and epoch, as the scripts compare them
 * @param objection why this process must not use the topic; null if it may
 */
record Registration(
        List<Shard> shards,
        long epoch,
        String identity,
        @Nullable String objection) {

    private static final Pattern TEXT = Pattern.compile("(\\d{1,4}):(\\d{1,18})");

    static Registration of(String topic, int count, long epoch, ShardPlan plan) {
        String identity = TopicRegistry.FORMAT + ":" + count + ":" + epoch;
        OptionalInt planned = plan.of(topic);
        boolean rejected = plan.onConflict() == ShardPlan.OnConflict.FAIL && plan.contradicts(topic, count);
        return new Registration(
                Shard.all(topic, count),
                epoch,
                identity,
                rejected ? objection(topic, count, planned.getAsInt()) : null);
    }

    /** Reads an entry of the registry; null if this version cannot read it. */
    static @Nullable Registration read(String topic, String text, ShardPlan plan) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        int count = Integer.parseInt(matcher.group(1));
        return count < 1 || count > Shard.MAX_COUNT ? null : of(topic, count, Long.parseLong(matcher.group(2)), plan);
    }

    private static String objection(String topic, int registered, int planned) {
        return "Topic " + Printable.of(topic) + " is registered with " + counted(registered)
                + ", but delayqueue.topics[" + Printable.of(topic)
                + "].shards is " + planned + " here. Nothing was written. Set it to " + registered
                + " or leave it out; or set delayqueue.shards.on-conflict to follow; or, for " + counted(planned)
                + ", delete the topic when it holds nothing (DelayQueueAdmin.deleteTopic).";
    }

    static String counted(int shards) {
        return shards + (shards == 1 ? " shard" : " shards");
    }

    int count() {
        return shards.size();
    }

    Shard of(String id) {
        return shards.get(Shard.indexOf(id, shards.size()));
    }

    Registration usable() {
        if (objection != null) {
            throw new TopicConflictException(objection);
        }
        return this;
    }

    /** The identity for a call to a shard. Throws if the shard has another shard count. */
    String identityFor(Shard shard) {
        if (shard.count() != count()) {
            throw new TopicRegisteredAnewException(shard, count());
        }
        return identity;
    }

    /** The later one of two registrations that were read in any order. */
    Registration orLater(Registration other) {
        return other.epoch > epoch ? other : this;
    }
}
