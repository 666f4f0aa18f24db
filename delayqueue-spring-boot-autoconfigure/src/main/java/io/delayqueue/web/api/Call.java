package io.delayqueue.web.api;

import io.delayqueue.web.api.json.InvalidBodyException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/** What a request's path says, and the paths of what belongs to it. Good for as long as the request waits. */
public final class Call {

    private final HttpServletRequest request;
    private final Map<?, ?> variables;
    private final String base;

    /** Reads what is not there any more when the request has waited. */
    Call(HttpServletRequest request, ApiSettings settings) {
        // what follows a semicolon is not part of a segment to Spring, and the name would be another one
        if (request.getRequestURI().indexOf(';') >= 0) {
            throw new InvalidBodyException(
                    "The path has a semicolon, which can't stand in a name there: write '~' and the"
                            + " Base64 (the kind for URLs) of such a name.");
        }
        this.request = request;
        this.variables = (Map<?, ?>)
                Objects.requireNonNull(request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE));
        this.base = ServletRequestPathUtils.getParsedRequestPath(request)
                        .contextPath()
                        .value()
                + settings.basePath();
    }

    HttpServletRequest request() {
        return request;
    }

    String topic() {
        return name("topic");
    }

    String id() {
        return name("id");
    }

    String token() {
        return name("token");
    }

    String letter() {
        return name("letter");
    }

    private String name(String variable) {
        return PathNames.decode(String.valueOf(variables.get(variable)));
    }

    /** The path by which a client reaches a message of the call's topic. */
    String pathOfMessage(String id) {
        return path("topics", topic(), "messages", id);
    }

    String pathOfLease(String id, String token) {
        return path("topics", topic(), "messages", id, "leases", token);
    }

    /** Where clients find the interface on this server. */
    String base() {
        return base;
    }

    private String path(String... names) {
        return base + Stream.of(names).map(PathNames::encode).collect(Collectors.joining("/", "/", ""));
    }
}
