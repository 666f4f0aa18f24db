package io.delayqueue.test.redis;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * The loopback address that servers are bound to, also where Java prefers IPv6.
 */
final class Loopback {

    static final String HOST = "127.0.0.1";

    private Loopback() {}

    static InetSocketAddress at(int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
        } catch (UnknownHostException ex) {
            throw new IllegalStateException("Four bytes are an address", ex);
        }
    }
}
