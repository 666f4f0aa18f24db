package io.delayqueue.compatibility;

import java.util.List;
import java.util.stream.Stream;

/** A cell of the matrix. */
record Combination(TestServer server, Access access) {

    /** The whole matrix on this machine. */
    static List<Combination> all() {
        return TestServer.all().stream()
                .flatMap(server -> Stream.of(Access.values()).map(access -> new Combination(server, access)))
                .toList();
    }

    @Override
    public String toString() {
        return server + " " + access;
    }
}
