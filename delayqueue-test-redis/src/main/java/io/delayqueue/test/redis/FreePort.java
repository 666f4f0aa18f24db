package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds free ports on the loopback interface.
 *
 * <p>A port belongs to this JVM until its end: it stays free while its server is stopped, and other JVMs of this user
 * do not find it. They are below the ports of outgoing connections, so that a client that reconnects to a stopped server
 * cannot be connected to itself. The same holds for the port of the cluster bus, which is 10,000 above that of the node.
 */
final class FreePort {

    private static final int LOWEST = 16_384;

    private static final int HIGHEST = 32_767;

    private static final int CLUSTER_BUS_OFFSET = 10_000;

    private static final int ATTEMPTS = 200;

    /** The lock of the byte at a port's number reserves the port. The operating system ends it with the JVM. */
    private static final FileChannel RESERVATIONS = openReservations();

    private FreePort() {}

    /**
     * Finds a port that is free, and reserves it. A process that does not use this class may still take it.
     *
     * @param withClusterBus whether the port of the cluster bus has to be free as well
     * @return a port between 16,384 and 32,767, or 22,767 with the cluster bus
     */
    static int find(boolean withClusterBus) {
        int highest = withClusterBus ? HIGHEST - CLUSTER_BUS_OFFSET : HIGHEST;
        for (int i = 0; i < ATTEMPTS; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, highest + 1);
            if (reserve(port) && isFree(port) && (!withClusterBus || isFree(port + CLUSTER_BUS_OFFSET))) {
                return port;
            }
        }
        throw new IllegalStateException("No free port between %s and %s".formatted(LOWEST, highest));
    }

    private static FileChannel openReservations() {
        try {
            return FileChannel.open(
                    Path.of(
                            System.getProperty("java.io.tmpdir"),
                            "delayqueue-test-ports-" + System.getProperty("user.name")),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static boolean reserve(int port) {
        try {
            return RESERVATIONS.tryLock(port, 1, false) != null;
        } catch (OverlappingFileLockException ex) {
            return false;
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
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
