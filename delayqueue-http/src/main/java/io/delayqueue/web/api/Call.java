package io.delayqueue.web.api;

import io.delayqueue.web.api.json.InvalidRequestException;
import io.delayqueue.web.api.request.Receipt;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Map;
import java.util.Objects;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/** The variables of a request's path, and the paths of related resources. Valid until the request ends. */
public final class Call {

    private final HttpServletRequest request;
    private final Map<?, ?> variables;
    private final String base;

    /** Reads the attributes that Spring removes before the request ends. */
    Call(HttpServletRequest request, ApiSettings settings) {
        // Spring cuts a path segment at a semicolon, which would change the name
        if (request.getRequestURI().indexOf(';') >= 0) {
            throw new InvalidRequestException(
                    "The path must not contain a semicolon. Write such a name as '~' followed by its"
                            + " base64url without padding.");
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

    Receipt receipt() {
        String text = String.valueOf(variables.get("receipt"));
        Receipt receipt = Receipt.parse(text);
        if (receipt == null) {
            throw new InvalidRequestException(
                    "The path must contain the receipt of a received message, but contained '" + text + "'.");
        }
        return receipt;
    }

    String deadLetter() {
        return name("deadLetter");
    }

    String job() {
        return name("job");
    }

    /** The name of the user whom the application's security authenticated; {@code http} for a client with a token. */
    String user() {
        Principal user = request.getUserPrincipal();
        return user == null ? "http" : user.getName();
    }

    private String name(String variable) {
        return PathNames.decode(String.valueOf(variables.get(variable)));
    }

    /** Returns the path of a message of the request's topic. */
    String pathOfMessage(String id) {
        return base + "/topics/" + PathNames.encode(topic()) + "/messages/" + PathNames.encode(id);
    }

    /** Returns the context path and base path of the API on this server. */
    String base() {
        return base;
    }
}
