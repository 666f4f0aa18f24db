package io.delayqueue.web.waiting;

import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.catalina.connector.RequestFacade;
import org.apache.coyote.ActionCode;
import org.apache.coyote.Request;
import org.apache.tomcat.util.net.ApplicationBufferHandler;
import org.jspecify.annotations.Nullable;

/**
 * Lets Tomcat read from the socket without blocking. Tomcat cannot do so with a chunked body over HTTP/1.1, of which it
 * reads sizes and data together. Needs a {@link TomcatRequestValve}; without it, any read may block.
 */
final class TomcatBody implements IncomingBody {

    private final ServletInputStream in;
    private final boolean chunked;
    private final @Nullable Request request;

    TomcatBody(ServletRequest facade, ServletInputStream in) {
        this.in = in;
        this.chunked = facade.getContentLengthLong() < 0 && facade.getProtocol().startsWith("HTTP/1");
        this.request = TomcatRequestValve.requestOf(facade);
    }

    static boolean serves(ServletRequest request) {
        return request instanceof RequestFacade;
    }

    @Override
    public State state() throws IOException {
        if (in.isFinished()) {
            return State.ARRIVED;
        }
        if (in.available() == 0) {
            if (request == null) {
                return State.UNKNOWN;
            }
            if (available(request) == 0) {
                return State.AWAITED;
            }
        }
        return chunked ? State.UNKNOWN : State.ARRIVED;
    }

    /** Returns the number of bytes that can be read, or 1 if reading fails. */
    private static int available(Request request) {
        request.action(ActionCode.AVAILABLE, true);
        return request.getAvailable();
    }

    /** Reads below the servlet stream, which Tomcat closes after the last byte of the response. */
    @Override
    public boolean discardPart() throws IOException {
        return request != null && request.doRead(new Discarded()) >= 0;
    }

    @Override
    public void abandon() {
        if (request != null) {
            request.action(ActionCode.DISABLE_SWALLOW_INPUT, null);
        }
    }

    /** The part that was read last. Tomcat shortens it if the next request has arrived together with the body. */
    private static final class Discarded implements ApplicationBufferHandler {

        private @Nullable ByteBuffer part;

        @Override
        public void setByteBuffer(ByteBuffer buffer) {
            part = buffer;
        }

        @Override
        public @Nullable ByteBuffer getByteBuffer() {
            return part;
        }

        @Override
        public void expand(int size) {
            // keeps no bytes
        }
    }
}
