package io.delayqueue.benchmark.floor;

import io.delayqueue.benchmark.result.Party;
import java.util.List;

/** A Redis client without anything around it. */
interface BareClient extends AutoCloseable {

    /** By the party that it is measured as. */
    static BareClient of(Party party, int port) {
        return switch (party) {
            case FLOOR_JEDIS -> new BareJedis(port);
            case FLOOR_LETTUCE -> new BareLettuce(port);
            default -> throw new IllegalArgumentException(party + " is no floor");
        };
    }

    /** Whatever one thread calls through: a connection of its own where the client needs that. Not thread-safe. */
    interface Caller extends AutoCloseable {

        /** Runs a script that Redis knows. */
        List<?> run(byte[] sha1, Call call);

        /** Runs a script that Redis may not know. */
        List<?> run(String text, Call call);

        @Override
        void close();
    }

    /** For one more thread. */
    Caller caller();

    @Override
    void close();
}
