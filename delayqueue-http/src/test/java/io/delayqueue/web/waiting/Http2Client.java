package io.delayqueue.web.waiting;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Map;

/**
 * A client that sends one POST by HTTP/2 without TLS, and that can reset its stream or close its connection at any time.
 * Not thread-safe.
 */
public final class Http2Client implements AutoCloseable {

    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final int STREAM = 1;
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int CANCEL = 8;

    // from the static table of header fields
    private static final int METHOD_POST = 0x83;
    private static final int SCHEME_HTTP = 0x86;
    private static final int AUTHORITY = 1;
    private static final int PATH = 4;

    private final Socket socket;

    /** Connects. */
    public Http2Client(int port) {
        try {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            socket.getOutputStream().write(PREFACE.getBytes(ISO_8859_1));
            write(SETTINGS, 0, 0, new byte[0]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends the request. */
    public void post(String path, Map<String, String> headers, String body) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        block.write(METHOD_POST);
        block.write(SCHEME_HTTP);
        block.write(AUTHORITY);
        text(block, "x");
        block.write(PATH);
        text(block, path);
        headers.forEach((name, value) -> {
            block.write(0); // a literal name
            text(block, name);
            text(block, value);
        });
        try {
            write(HEADERS, END_HEADERS, STREAM, block.toByteArray());
            write(DATA, END_STREAM, STREAM, body.getBytes(ISO_8859_1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Less than 127 bytes, without Huffman's code. */
    private static void text(ByteArrayOutputStream block, String text) {
        block.write(text.length());
        block.writeBytes(text.getBytes(ISO_8859_1));
    }

    private void write(int type, int flags, int stream, byte[] payload) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
        frame.putInt(payload.length << 8 | type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload);
        socket.getOutputStream().write(frame.array());
    }

    /** Cancels the request and keeps the connection. */
    public void reset() {
        try {
            write(RST_STREAM, 0, STREAM, ByteBuffer.allocate(4).putInt(CANCEL).array());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
