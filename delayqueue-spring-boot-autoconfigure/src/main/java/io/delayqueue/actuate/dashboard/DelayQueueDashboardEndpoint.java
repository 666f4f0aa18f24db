package io.delayqueue.actuate.dashboard;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.util.MimeType;

/**
 * Serves the dashboard: a page and the fixed files that it is made of. Thread-safe.
 *
 * <p>It knows nothing of the queue. The page asks the endpoint {@code delayqueue} by itself, so that whoever may not ask
 * that sees nothing here, and offers actions only where that endpoint allows them. As long as
 * {@code management.endpoint.delayqueuedashboard.access} isn't {@code read-only}, there is no dashboard.
 */
@WebEndpoint(id = DelayQueueDashboardEndpoint.ID, defaultAccess = Access.NONE)
public final class DelayQueueDashboardEndpoint {

    /** The id, by which properties and the path name it. */
    public static final String ID = "delayqueuedashboard";

    private static final MimeType HTML = new MimeType("text", "html", StandardCharsets.UTF_8);

    private final DashboardFiles files = DashboardFiles.load();
    private final Supplier<PathMappedEndpoints> endpoints;

    /**
     * A dashboard.
     *
     * @param endpoints tell where the page is and where its data; not asked before the page is, since this endpoint is one
     *     of them
     */
    public DelayQueueDashboardEndpoint(Supplier<PathMappedEndpoints> endpoints) {
        this.endpoints = endpoints;
    }

    /** Serves the page. */
    @ReadOperation(produces = "text/html")
    public WebEndpointResponse<byte[]> page() {
        String page = DashboardAddresses.among(endpoints.get()).putInto(files.page());
        return new WebEndpointResponse<>(page.getBytes(StandardCharsets.UTF_8), HTML);
    }

    /**
     * Serves a part of the page.
     *
     * @param file its name; there is no other than those that the page is made of
     */
    @ReadOperation(produces = {"text/javascript", "text/css", "image/svg+xml"})
    public WebEndpointResponse<byte[]> file(@Selector String file) {
        DashboardFiles.Part part = files.part(file);
        return part == null
                ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)
                : new WebEndpointResponse<>(part.content(), part.type());
    }
}
