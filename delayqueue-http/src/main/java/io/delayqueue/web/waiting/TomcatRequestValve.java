package io.delayqueue.web.waiting;

import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.jspecify.annotations.Nullable;

/**
 * Makes Tomcat's own request available to {@link TomcatBody}. A valve receives it by public methods; filters and servlets
 * receive a facade of it. Thread-safe.
 */
public final class TomcatRequestValve extends ValveBase {

    private static final String REQUEST = TomcatRequestValve.class.getName() + ".request";

    /** Creates a valve, which supports asynchronous requests. */
    public TomcatRequestValve() {
        super(true);
    }

    /** Returns Tomcat's request, or null if it did not pass a valve of this type. */
    static org.apache.coyote.@Nullable Request requestOf(ServletRequest request) {
        return (org.apache.coyote.Request) request.getAttribute(REQUEST);
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        // unlike an attribute of the servlet request, it is not reported to the application's listeners
        org.apache.coyote.Request inner = request.getCoyoteRequest();
        inner.setAttribute(REQUEST, inner);
        getNext().invoke(request, response);
    }
}
