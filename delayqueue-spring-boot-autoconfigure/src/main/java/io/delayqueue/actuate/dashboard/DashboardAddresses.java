package io.delayqueue.actuate.dashboard;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;

/**
 * Where the page finds its parts and its data. Both are relative to the page, so that they are right behind any proxy, base
 * path or port; each endpoint may be mapped to a path of several segments.
 *
 * @param files where its parts are
 * @param data where the endpoint of the queue is; empty if that isn't exposed
 */
record DashboardAddresses(String files, String data) {

    private static final EndpointId DATA = EndpointId.of("delayqueue");

    private static final EndpointId SELF = EndpointId.of(DelayQueueDashboardEndpoint.ID);

    static DashboardAddresses among(PathMappedEndpoints endpoints) {
        String page = endpoints.getRootPath(SELF);
        String data = endpoints.getRootPath(DATA);
        if (page == null) {
            throw new IllegalStateException("The dashboard is asked, but not exposed");
        }
        String up = "../".repeat((int) page.chars().filter(each -> each == '/').count());
        return new DashboardAddresses(
                "./" + page.substring(page.lastIndexOf('/') + 1), data == null ? "" : "./" + up + data);
    }

    String putInto(String page) {
        return page.replace("{{files}}", inAttribute(files)).replace("{{endpoint}}", inAttribute(data));
    }

    private static String inAttribute(String text) {
        return text.replace("&", "&amp;").replace("\"", "&quot;").replace("<", "&lt;");
    }
}
