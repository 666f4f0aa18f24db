package io.delayqueue.test.redis;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Splits a stream of RESP 2 or RESP 3 into the bytes of whole requests or replies. Not thread-safe.
 */
final class RespFrameReader {

    private static final int BUFFER_BYTES = 64 * 1024;

    private final InputStream in;

    RespFrameReader(InputStream in) {
        this.in = new BufferedInputStream(in, BUFFER_BYTES);
    }

    /**
     * Reads the next frame. An inline command is a frame. Attributes belong to the reply that follows them.
     *
     * @return the frame's bytes, or {@code null} at the end of the stream
     */
    byte @Nullable [] read() throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        int first = this.in.read();
        if (first < 0) {
            return null;
        }
        readValue(first, frame);
        return frame.toByteArray();
    }

    /** Copies the bytes after the last frame, without parsing them, until the end of the stream. */
    void copyRest(OutputStream out) throws IOException {
        this.in.transferTo(out);
    }

    private void readValue(int type, ByteArrayOutputStream frame) throws IOException {
        String line = readLine(type, frame);
        switch (type) {
            case '$', '=', '!' -> readBytes(Integer.parseInt(line), frame);
            case '*', '~', '>' -> readValues(Integer.parseInt(line), frame);
            case '%' -> readValues(2 * Integer.parseInt(line), frame);
            case '|' -> readValues(2 * Integer.parseInt(line) + 1, frame);
            default -> {} // A line and nothing more.
        }
    }

    private void readValues(int count, ByteArrayOutputStream frame) throws IOException {
        for (int i = 0; i < count; i++) {
            readValue(readByte(), frame);
        }
    }

    private void readBytes(int length, ByteArrayOutputStream frame) throws IOException {
        if (length >= 0) {
            byte[] bytes = this.in.readNBytes(length + 2);
            if (bytes.length < length + 2) {
                throw new EOFException();
            }
            frame.writeBytes(bytes);
        }
    }

    private String readLine(int type, ByteArrayOutputStream frame) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = readByte(); b != '\n'; b = readByte()) {
            line.write(b);
        }
        frame.write(type);
        line.writeTo(frame);
        frame.write('\n');
        return line.toString(StandardCharsets.US_ASCII).trim();
    }

    private int readByte() throws IOException {
        int b = this.in.read();
        if (b < 0) {
            throw new EOFException();
        }
        return b;
    }
}
