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
import org.springframework.util.function.SingletonSupplier;

/**
 * Serves the dashboard: a page and the files that it loads. Thread-safe.
 *
 * <p>The page reads its data from the endpoint {@code delayqueue}. It shows only what the user may read there, and
 * offers actions only if that endpoint permits them. The dashboard is disabled by default;
 * {@code management.endpoint.delayqueuedashboard.access=read-only} enables it.
 */
@WebEndpoint(id = DelayQueueDashboardEndpoint.ID, defaultAccess = Access.NONE)
public final class DelayQueueDashboardEndpoint {

    /** The id of the endpoint, used in property names and in its path. */
    public static final String ID = "delayqueuedashboard";

    private static final MimeType HTML = new MimeType("text", "html", StandardCharsets.UTF_8);

    /** Read from the class path when the dashboard is first opened. */
    private final Supplier<DashboardFiles> files = SingletonSupplier.of(DashboardFiles::load);

    private final Supplier<PathMappedEndpoints> endpoints;

    /**
     * Creates the endpoint.
     *
     * @param endpoints the paths of all endpoints; called only when the page is served, because this endpoint is one of
     *     them
     */
    public DelayQueueDashboardEndpoint(Supplier<PathMappedEndpoints> endpoints) {
        this.endpoints = endpoints;
    }

    /** Serves the page. */
    @ReadOperation(produces = "text/html")
    public WebEndpointResponse<byte[]> page() {
        String page =
                DashboardAddresses.among(endpoints.get()).putInto(files.get().page());
        return new WebEndpointResponse<>(page.getBytes(StandardCharsets.UTF_8), HTML);
    }

    /**
     * Serves a file of the page.
     *
     * @param file the name of the file; the status is 404 for other names
     */
    @ReadOperation(produces = {"text/javascript", "text/css", "image/svg+xml"})
    public WebEndpointResponse<byte[]> file(@Selector String file) {
        DashboardFiles.Part part = files.get().parts().get(file);
        return part == null
                ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)
                : new WebEndpointResponse<>(part.content(), part.type());
    }
}
