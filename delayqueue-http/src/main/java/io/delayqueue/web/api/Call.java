package io.delayqueue.web.api;

import io.delayqueue.management.guard.Client;
import io.delayqueue.template.receive.Receipt;
import io.delayqueue.web.api.json.InvalidRequestException;
import io.delayqueue.web.api.request.SettleRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * The client of a request, the variables of its path, and the paths of related resources. Valid until the request ends.
 */
public final class Call {

    private final HttpServletRequest request;
    private final Client client;
    private final Map<?, ?> variables;
    private final String base;

    /**
     * Reads the attributes that Spring removes before the request ends.
     *
     * @throws io.delayqueue.management.guard.AccessDeniedException if the client has no access to the topic of the path
     */
    Call(HttpServletRequest request, Client client, ApiSettings settings) {
        // Spring cuts a path segment at a semicolon, which would change the name
        if (request.getRequestURI().indexOf(';') >= 0) {
            throw new InvalidRequestException(
                    "The path must not contain a semicolon. Write such a name as '~' followed by its"
                            + " base64url without padding.");
        }
        this.request = request;
        this.client = client;
        this.variables = (Map<?, ?>)
                Objects.requireNonNull(request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE));
        this.base = ServletRequestPathUtils.getParsedRequestPath(request)
                        .contextPath()
                        .value()
                + settings.basePath();
        if (variables.containsKey("topic")) {
            client.requireTopic(topic());
        }
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
        client.requireTopic(receipt.topic());
        return receipt;
    }

    String schedule() {
        return name("schedule");
    }

    String deadLetter() {
        return name("deadLetter");
    }

    String job() {
        return name("job");
    }

    /** Checks the client's access to the topics of settlements. */
    void requireTopicsOf(List<SettleRequest> settlements) {
        settlements.forEach(each -> client.requireTopic(each.parsedReceipt().topic()));
    }

    /** The client, whose access to topics in the body is checked with {@link Client#requireTopic}. */
    Client client() {
        return client;
    }

    private String name(String variable) {
        return PathNames.decode(String.valueOf(variables.get(variable)));
    }

    /** Returns the path of a message of the request's topic. */
    String pathOfMessage(String id) {
        return pathInTopic("/messages/", id);
    }

    /** Returns the path of the request's schedule. */
    String pathOfSchedule() {
        return pathInTopic("/schedules/", schedule());
    }

    private String pathInTopic(String resources, String id) {
        return base + "/topics/" + PathNames.encode(topic()) + resources + PathNames.encode(id);
    }

    /** Returns the context path and base path of the API on this server. */
    String base() {
        return base;
    }
}
