package io.delayqueue.web.waiting;

import jakarta.servlet.ServletRequest;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.RequestFacade;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.coyote.AbstractProcessor;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * Asks Tomcat's socket, which nobody reads from while the request waits. The way there is not public: a Tomcat that has
 * another one is told of in the log, once, and its clients are taken for present.
 */
final class TomcatPeer implements Peer {

    private static final Log log = LogFactory.getLog(TomcatPeer.class);

    private static final int ENOUGH = 1024;
    private static final @Nullable Way WAY = Way.find();

    private final SocketWrapperBase<?> socket;

    private TomcatPeer(SocketWrapperBase<?> socket) {
        this.socket = socket;
    }

    /** From the request that a servlet gets to the socket it came by. */
    private record Way(Field request, Field processor, Method socket) {

        static @Nullable Way find() {
            try {
                Field request = RequestFacade.class.getDeclaredField("request");
                Field processor = org.apache.coyote.Request.class.getDeclaredField("hook");
                Method socket = AbstractProcessor.class.getDeclaredMethod("getSocketWrapper");
                request.setAccessible(true);
                processor.setAccessible(true);
                socket.setAccessible(true);
                return new Way(request, processor, socket);
            } catch (ReflectiveOperationException | RuntimeException e) {
                log.warn(
                        "This version of Tomcat doesn't tell whether a client has hung up: what becomes due for one that"
                                + " has is redelivered after its lease",
                        e);
                return null;
            }
        }

        @Nullable
        SocketWrapperBase<?> from(ServletRequest facade) {
            Request inner = (Request) ReflectionUtils.getField(request, facade);
            Object hook = inner == null ? null : ReflectionUtils.getField(processor, inner.getCoyoteRequest());
            return hook instanceof AbstractProcessor
                    ? (SocketWrapperBase<?>) ReflectionUtils.invokeMethod(socket, hook)
                    : null;
        }
    }

    static boolean serves(ServletRequest request) {
        return request instanceof RequestFacade;
    }

    static Peer of(ServletRequest request) {
        Way way = WAY;
        SocketWrapperBase<?> socket = way == null ? null : way.from(request);
        return socket == null ? () -> false : new TomcatPeer(socket);
    }

    @Override
    public boolean hasHungUp() {
        if (socket.isClosed()) {
            return true;
        }
        try {
            ByteBuffer early = ByteBuffer.allocate(ENOUGH);
            int read = socket.read(false, early);
            if (read > 0) {
                socket.unRead(early.flip()); // the beginning of its next request is kept for that
            }
            return read < 0;
        } catch (IOException | RuntimeException e) {
            return true; // closed under our hands
        }
    }
}
