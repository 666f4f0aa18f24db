package io.delayqueue.benchmark.floor;

import io.delayqueue.benchmark.result.Party;
import java.util.List;

/** A plain Redis client. */
interface BareClient extends AutoCloseable {

    /** Creates the client of a party. */
    static BareClient of(Party party, int port) {
        return switch (party) {
            case FLOOR_JEDIS -> new BareJedis(port);
            case FLOOR_LETTUCE -> new BareLettuce(port);
            default -> throw new IllegalArgumentException(party + " is not a floor");
        };
    }

    /** Calls scripts for one thread, with a separate connection if the client requires one. Not thread-safe. */
    interface Caller extends AutoCloseable {

        /** Runs a script that Redis has loaded. */
        List<?> run(byte[] sha1, RecordedCall call);

        /** Runs a script that Redis may not have loaded. */
        List<?> run(String text, RecordedCall call);

        @Override
        void close();
    }

    /** Creates the caller of another thread. */
    Caller caller();

    @Override
    void close();
}
