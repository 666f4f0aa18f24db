package io.delayqueue.test.redis;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds free ports on the loopback interface.
 *
 * <p>They are below the ports of outgoing connections. Therefore the port of a stopped server stays free until its
 * restart, and a client that reconnects meanwhile cannot be connected to itself. The same holds for the port of the
 * cluster bus, which is 10,000 above that of the node.
 */
final class FreePort {

    private static final int LOWEST = 16_384;

    private static final int HIGHEST = 32_767;

    private static final int CLUSTER_BUS_OFFSET = 10_000;

    private static final int ATTEMPTS = 200;

    private FreePort() {}

    /**
     * Finds a port that is currently free. Another process may take it before the caller does.
     *
     * @param withClusterBus whether the port of the cluster bus has to be free as well
     * @return a port between 16,384 and 32,767, or 22,767 with the cluster bus
     */
    static int find(boolean withClusterBus) {
        int highest = withClusterBus ? HIGHEST - CLUSTER_BUS_OFFSET : HIGHEST;
        for (int i = 0; i < ATTEMPTS; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, highest + 1);
            if (isFree(port) && (!withClusterBus || isFree(port + CLUSTER_BUS_OFFSET))) {
                return port;
            }
        }
        throw new IllegalStateException("No free port between %d and %d".formatted(LOWEST, highest));
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(Loopback.at(port));
            return true;
        } catch (IOException ex) {
            return false;
        }
    }
}
