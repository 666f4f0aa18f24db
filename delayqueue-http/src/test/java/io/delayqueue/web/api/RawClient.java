package io.delayqueue.web.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;

/** A client that writes bytes and can disconnect at any time. Not thread-safe. */
final class RawClient implements AutoCloseable {

    private final Socket socket;

    RawClient(int port) {
        try {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setSoTimeout(60_000);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A server that has rejected the request may not read everything. */
    void write(String text) {
        try {
            socket.getOutputStream().write(text.getBytes(ISO_8859_1));
        } catch (IOException e) {
            // its response can still be read
        }
    }

    /** Reads up to a text. */
    String readUntil(String end) {
        StringBuilder read = new StringBuilder();
        try {
            while (read.indexOf(end) < 0) {
                int next = socket.getInputStream().read();
                if (next < 0) {
                    return read.toString();
                }
                read.append((char) next);
            }
        } catch (IOException e) {
            return read + " (" + e + ")";
        }
        return read.toString();
    }

    /** Resets the connection, so that the server's next write fails. */
    void reset() {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        close();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
