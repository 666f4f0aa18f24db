package io.delayqueue.testing;

/** Limits of a shard that tests write to Redis, in the form of {@code keys.lua}, without a registration. */
public final class ShardLimits {

    private static final String SET = "redis.call('HSET', KEYS[1], 'limits', ARGV[1], 'identity',"
            + " string.match(redis.call('HGET', KEYS[1], 'identity'), '^%S+') .. ' special')";

    private ShardLimits() {}

    /**
     * The command that sets the limits of an open shard.
     *
     * @param meta key of the shard's meta
     * @param limits most leases, interval in µs, burst, most messages
     */
    public static String[] command(String meta, String limits) {
        return new String[] {"EVAL", SET, "1", meta, limits};
    }

    /** The limits that only bound the scheduled and leased messages. */
    public static String[] command(String meta, int messages) {
        return command(meta, "0 0 1 " + messages);
    }
}
