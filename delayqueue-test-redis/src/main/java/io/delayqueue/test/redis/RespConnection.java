package io.delayqueue.test.redis;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One connection that speaks RESP 2, one command at a time. Not thread-safe.
 */
final class RespConnection implements AutoCloseable {

    private final Socket socket;

    private final InputStream in;

    RespConnection(int port, Duration timeout) throws IOException {
        this.socket = new Socket();
        try {
            int millis = Math.toIntExact(timeout.toMillis());
            this.socket.connect(Loopback.at(port), millis);
            this.socket.setSoTimeout(millis);
            this.socket.setTcpNoDelay(true);
            this.in = new BufferedInputStream(this.socket.getInputStream());
        } catch (IOException ex) {
            this.socket.close();
            throw ex;
        }
    }

    /**
     * Sends a command and waits for its reply.
     *
     * @param arguments the command's name and its arguments
     * @return a {@code String}, a {@code Long}, {@code null} or a list of these
     * @throws RedisErrorException if Redis replies with an error
     */
    @Nullable
    Object call(String... arguments) throws IOException {
        this.socket.getOutputStream().write(encode(arguments));
        Object reply = readReply();
        if (reply instanceof RedisErrorException error) {
            throw error;
        }
        return reply;
    }

    private static byte[] encode(String... arguments) {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(("*" + arguments.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
        for (String argument : arguments) {
            byte[] bytes = argument.getBytes(StandardCharsets.UTF_8);
            request.writeBytes(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
            request.writeBytes(bytes);
            request.writeBytes(new byte[] {'\r', '\n'});
        }
        return request.toByteArray();
    }

    private @Nullable Object readReply() throws IOException {
        String line = readLine();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest;
            case '-' -> new RedisErrorException(rest);
            case ':' -> Long.valueOf(rest);
            case '$' -> readBulk(Integer.parseInt(rest));
            case '*' -> readArray(Integer.parseInt(rest));
            default -> throw new IOException("Not a reply of Redis: " + line);
        };
    }

    private @Nullable String readBulk(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = this.in.readNBytes(length + 2);
        if (bytes.length < length + 2) {
            throw new EOFException("Redis closed the connection within a reply");
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private @Nullable List<@Nullable Object> readArray(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        List<@Nullable Object> replies = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            replies.add(readReply());
        }
        return replies;
    }

    private String readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = this.in.read(); b != '\r'; b = this.in.read()) {
            if (b < 0) {
                throw new EOFException("Redis closed the connection without a reply");
            }
            line.write(b);
        }
        this.in.read();
        return line.size() == 0 ? " " : line.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        this.socket.close();
    }
}
