package io.delayqueue.benchmark.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.Locale;

/**
 * A connection that is kept open. It reads only as much of a response as the benchmark needs. Texts are ASCII. Not
 * thread-safe.
 */
public final class HttpConnection implements AutoCloseable {

    private static final String END_OF_HEAD = "\r\n\r\n";
    private static final String LENGTH = "content-length:";
    private static final String LAST_CHUNK = "\r\n0\r\n\r\n";
    private static final int STATUS_AT = "HTTP/1.1 ".length();
    private static final int STATUS_LENGTH = 3;
    private static final int FAILURES = 300;
    private static final int BUFFER = 16_384;

    private final Socket socket;
    private final InputStream input;
    private byte[] buffer = new byte[BUFFER];
    private int filled;

    HttpConnection(int port) {
        try {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            input = socket.getInputStream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Sends a POST request and waits for its response.
     *
     * @return the body of the response, in chunks if the server sent it in chunks
     * @throws IllegalStateException if the status is not 2xx
     */
    public String post(String path, String body) {
        String request =
                "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + HttpApplication.TOKEN
                        + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + END_OF_HEAD + body;
        try {
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            return response();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String response() throws IOException {
        filled = 0;
        int head = read(END_OF_HEAD, 0) + END_OF_HEAD.length();
        String text = text(0, head);
        int status = Integer.parseInt(text, STATUS_AT, STATUS_AT + STATUS_LENGTH, 10);
        String lower = text.toLowerCase(Locale.ROOT);
        int length = lower.indexOf(LENGTH);
        int end = head;
        if (length >= 0) {
            int from = length + LENGTH.length();
            end += Integer.parseInt(
                    text.substring(from, text.indexOf('\r', from)).strip());
            while (filled < end) {
                read();
            }
        } else if (lower.contains("chunked")) {
            end = read(LAST_CHUNK, head - 2) + LAST_CHUNK.length();
        }
        String body = text(head, end);
        if (status >= FAILURES) {
            throw new IllegalStateException("Status " + status + ": " + body);
        }
        return body;
    }

    /** Reads up to a text and returns its index. */
    private int read(String until, int from) throws IOException {
        while (true) {
            int found = text(0, filled).indexOf(until, from);
            if (found >= 0) {
                return found;
            }
            read();
        }
    }

    private void read() throws IOException {
        if (filled == buffer.length) {
            buffer = Arrays.copyOf(buffer, 2 * filled);
        }
        int count = input.read(buffer, filled, buffer.length - filled);
        if (count < 0) {
            throw new IOException("The server closed the connection");
        }
        filled += count;
    }

    private String text(int from, int to) {
        return new String(buffer, from, to - from, ISO_8859_1);
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
