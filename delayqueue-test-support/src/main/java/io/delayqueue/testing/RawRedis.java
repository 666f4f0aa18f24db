package io.delayqueue.testing;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A RESP 2 connection that works on raw bytes. Replies are {@code byte[]}, {@code Long}, null or lists of these. Not
 * thread-safe.
 */
public final class RawRedis implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 60_000;

    private final Socket socket;
    private final InputStream in;

    /** Connects to a server on the loopback interface. */
    public RawRedis(int port) {
        try {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Sends a command and waits for its reply.
     *
     * @param parts texts, numbers or bytes
     * @throws RedisError if Redis returns an error
     */
    public @Nullable Object call(Object... parts) {
        send(parts);
        return receive();
    }

    /** Sends a command and returns its reply as text. */
    public String text(Object... parts) {
        Object reply = call(parts);
        return reply instanceof byte[] bytes ? new String(bytes, UTF_8) : String.valueOf(reply);
    }

    void send(Object... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(("*" + parts.length + "\r\n").getBytes(US_ASCII));
        for (Object part : parts) {
            byte[] bytes = part instanceof byte[] raw ? raw : part.toString().getBytes(UTF_8);
            out.writeBytes(("$" + bytes.length + "\r\n").getBytes(US_ASCII));
            out.writeBytes(bytes);
            out.writeBytes(new byte[] {'\r', '\n'});
        }
        try {
            socket.getOutputStream().write(out.toByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Nullable
    public Object receive() {
        try {
            Object reply = reply();
            if (reply instanceof RedisError error) {
                throw error;
            }
            return reply;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private @Nullable Object reply() throws IOException {
        String line = line();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest.getBytes(UTF_8);
            case '-' -> new RedisError(rest);
            case ':' -> Long.valueOf(rest);
            case '$' -> bulk(Integer.parseInt(rest));
            case '*' -> array(Integer.parseInt(rest));
            default -> throw new IOException("Not a RESP 2 reply: " + line);
        };
    }

    private byte @Nullable [] bulk(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length);
        if (in.readNBytes(2).length < 2) {
            throw new EOFException("Redis closed the connection within a reply");
        }
        return bytes;
    }

    private @Nullable List<@Nullable Object> array(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        List<@Nullable Object> parts = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            parts.add(reply());
        }
        return parts;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\r'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("Redis closed the connection");
            }
            line.write(b);
        }
        in.read();
        return line.toString(UTF_8);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An error reply of Redis. */
    public static final class RedisError extends RuntimeException {

        private static final long serialVersionUID = 1L;

        RedisError(String message) {
            super(message);
        }
    }
}
