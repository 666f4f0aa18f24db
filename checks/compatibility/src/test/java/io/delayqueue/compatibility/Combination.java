package io.delayqueue.compatibility;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A cell of the matrix. */
record Combination(TestServer server, Client client, Access access) {

    /** A client library of Redis. */
    enum Client {
        LETTUCE,
        JEDIS;

        /** The value of {@code spring.data.redis.client-type}. */
        String property() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The whole matrix on this machine. */
    static List<Combination> all() {
        return TestServer.all().stream()
                .flatMap(server -> Arrays.stream(Client.values())
                        .flatMap(client ->
                                Stream.of(Access.values()).map(access -> new Combination(server, client, access))))
                .toList();
    }

    @Override
    public String toString() {
        return server + " " + client + " " + access;
    }
}
