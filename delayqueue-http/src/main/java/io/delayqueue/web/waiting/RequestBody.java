package io.delayqueue.web.waiting;

import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Reads the bodies of requests. */
public final class RequestBody {

    private static final int BUFFER_SIZE = 8192;

    private RequestBody() {}

    /**
     * Reads a body up to a maximum size. Does not wait for the rest of a larger body.
     *
     * @param max maximum size in bytes
     * @return the body, or null if it is larger
     */
    public static byte @Nullable [] read(HttpServletRequest request, int max) throws IOException {
        if (request.getContentLengthLong() > max) {
            return null;
        }
        int length = Math.max(0, request.getContentLength());
        ByteArrayOutputStream body = new ByteArrayOutputStream(length);
        byte[] part = new byte[length > 0 ? Math.min(length, BUFFER_SIZE) : BUFFER_SIZE];
        InputStream in = request.getInputStream();
        for (int read = in.read(part); read >= 0; read = in.read(part)) {
            body.write(part, 0, read);
            if (body.size() > max) {
                return null;
            }
        }
        return body.toByteArray();
    }
}
