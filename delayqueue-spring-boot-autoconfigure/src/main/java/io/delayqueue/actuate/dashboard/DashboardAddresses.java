package io.delayqueue.actuate.dashboard;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;

/**
 * The addresses of the page's files and of its data. They are relative to the page, so that they are valid behind any
 * proxy, base path or port. Each endpoint may be mapped to a path of several segments.
 *
 * @param files the address of the page's files
 * @param data the address of the endpoint {@code delayqueue}; empty if it is not exposed
 */
record DashboardAddresses(String files, String data) {

    private static final EndpointId DATA = EndpointId.of("delayqueue");

    private static final EndpointId SELF = EndpointId.of(DelayQueueDashboardEndpoint.ID);

    static DashboardAddresses among(PathMappedEndpoints endpoints) {
        String page = endpoints.getRootPath(SELF);
        String data = endpoints.getRootPath(DATA);
        if (page == null) {
            throw new IllegalStateException("The endpoint delayqueuedashboard was called but is not exposed");
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
