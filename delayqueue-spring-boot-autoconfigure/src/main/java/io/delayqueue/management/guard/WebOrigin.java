package io.delayqueue.management.guard;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The origin of a page that sends a request, or of the server.
 *
 * @param secure whether the scheme is HTTPS
 * @param host the host in lower case without brackets
 * @param port the port; -1 for the default port of the scheme
 */
record WebOrigin(boolean secure, String host, int port) {

    private static final Pattern SYNTAX = Pattern.compile(
            "(https?)://(?:\\[([0-9a-f:.]+)]|([^\\s/:@?#\\[\\]]+))(?::(\\d{1,5}))?", Pattern.CASE_INSENSITIVE);

    /** Top-level domains that the public DNS does not have. Services of Kubernetes have the last two. */
    private static final Set<String> RESERVED = Set.of("localhost", "internal", "local", "svc");

    private static final Pattern ADDRESS = Pattern.compile("\\d+(\\.\\d+){3}");

    /**
     * Parses an origin. Returns null if it is invalid or the string {@code null}, which browsers send for a page
     * without an origin.
     */
    static @Nullable WebOrigin parse(String origin) {
        Matcher matcher = SYNTAX.matcher(origin);
        if (!matcher.matches()) {
            return null;
        }
        boolean secure = matcher.group(1).equalsIgnoreCase("https");
        String host = matcher.group(2) == null ? matcher.group(3) : matcher.group(2);
        int port = matcher.group(4) == null ? -1 : Integer.parseInt(matcher.group(4));
        return new WebOrigin(secure, host.toLowerCase(Locale.ROOT), port == (secure ? 443 : 80) ? -1 : port);
    }

    /**
     * Whether a page of this origin may send actions to a server. Host and port must be equal. A page with HTTPS may use
     * a server with HTTP, because the server sees HTTP if a proxy terminates TLS.
     */
    boolean mayActOn(WebOrigin server) {
        return host.equals(server.host) && port == server.port && (secure || !server.secure);
    }

    /** Whether the host is a name that anybody can register: neither an address, nor without a dot, nor reserved. */
    boolean hasPublicName() {
        boolean address = host.contains(":") || ADDRESS.matcher(host).matches();
        return !address && host.contains(".") && !RESERVED.contains(host.substring(host.lastIndexOf('.') + 1));
    }
}
