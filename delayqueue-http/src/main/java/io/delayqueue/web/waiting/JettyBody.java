package io.delayqueue.web.waiting;

import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import org.eclipse.jetty.ee11.servlet.HttpInput;

/**
 * Reads from Jetty without blocking. When a request ends, Jetty itself reads only what has arrived, and closes the
 * connection if that is not all. It asks a client that expects it to send the body only when a read blocks.
 */
final class JettyBody implements IncomingBody {

    private static final int BUFFER_SIZE = 8192;

    private final HttpInput in;
    private final boolean expected;

    JettyBody(HttpServletRequest request, ServletInputStream in) {
        this.in = (HttpInput) in;
        this.expected = request.getHeader("Expect") != null;
    }

    static boolean serves(ServletInputStream in) {
        return in instanceof HttpInput;
    }

    @Override
    public State state() throws IOException {
        if (expected) {
            return State.UNKNOWN;
        }
        // available() reads without blocking; then there is content, or the end of the body
        return in.available() > 0 || in.hasContent() || in.isFinished() ? State.ARRIVED : State.AWAITED;
    }

    @Override
    public boolean discardPart() throws IOException {
        return !in.isFinished() && in.read(new byte[BUFFER_SIZE]) >= 0;
    }
}
