package io.delayqueue.actuate;

import io.delayqueue.management.ManagementJson;
import io.delayqueue.management.Shown;
import io.delayqueue.management.guard.Principals;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueUnavailableException;
import java.security.Principal;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.util.MimeType;

/**
 * Management endpoint to inspect and administer the queue over HTTP. Thread-safe. Blocks while it waits for Redis, for
 * at most one command timeout per call of Redis.
 *
 * <p>By default, it is read-only. {@code management.endpoint.delayqueue.access=unrestricted} permits actions. The body
 * of an error response has one sentence. The status is 400 for invalid parameters, 404 if the object does not exist,
 * 409 if the state does not permit the action, and 503 if Redis is unavailable. The endpoint is not available over JMX,
 * because JMX has neither users nor status codes.
 *
 * <p>Topics and ids are parameters instead of path segments, because they may contain slashes. {@link ParametersAdvisor}
 * passes all of them as one argument, so that a missing or unknown one is rejected with an explanation.
 */
@WebEndpoint(id = DelayQueueEndpoint.ID, defaultAccess = Access.READ_ONLY)
public final class DelayQueueEndpoint {

    /** The id of the endpoint, used in property names and in its path. */
    public static final String ID = "delayqueue";

    private static final MimeType JSON = new MimeType("application", "json");

    private final QueueViews views;
    private final QueueActions actions;
    private final Predicate<SecurityContext> showsPayloadsTo;

    /**
     * Creates the endpoint.
     *
     * @param showsPayloadsTo whether a caller may see payloads and headers
     */
    public DelayQueueEndpoint(QueueViews views, QueueActions actions, Predicate<SecurityContext> showsPayloadsTo) {
        this.views = views;
        this.actions = actions;
        this.showsPayloadsTo = showsPayloadsTo;
    }

    /**
     * Returns the nodes, this node's listeners and all topics.
     *
     * <p>If there are more than about ten topics, their status may be some seconds old, so that open pages cost a
     * hundred commands of Redis a second at most: 150 ms for each shard.
     *
     * @param given {@code history}: whether to include the samples of the topics, which are most of the response; true
     *     by default; {@code live}: a topic whose status is read now
     */
    @ReadOperation
    public WebEndpointResponse<byte[]> overview(Parameters given) {
        return respond(() -> {
            Parameters parameters = given.only("The overview", List.of("history", "live"));
            return new WebEndpointResponse<>(views.overview(parameters.flag("history", true), parameters.text("live")));
        });
    }

    /**
     * Returns one view.
     *
     * @param view the path of one of {@code Operation.VIEWS}
     */
    @ReadOperation
    public WebEndpointResponse<byte[]> view(
            SecurityContext caller, @Selector(match = Match.ALL_REMAINING) Object view, Parameters given) {
        return respond(() -> {
            Operation requested = Operation.view(path(view));
            Shown shown = showsPayloadsTo.test(authenticated(caller)) ? Shown.BEGIN : Shown.SIZE;
            return new WebEndpointResponse<>(views.read(
                    requested, given.only("The view '" + requested.path() + "'", requested.parameters()), shown));
        });
    }

    /**
     * Performs one action. Because the operation has parameters, the framework requires a JSON body, which an HTML form
     * cannot send.
     *
     * @param path the path of one of {@code Operation.ACTIONS}
     */
    @WriteOperation
    public WebEndpointResponse<byte[]> act(
            SecurityContext caller, @Selector(match = Match.ALL_REMAINING) Object path, Parameters given) {
        return respond(() -> {
            Operation requested = Operation.action(path(path));
            return actions.act(
                    requested,
                    given.only("The action '" + requested.path() + "'", requested.parameters()),
                    nameOf(authenticated(caller)));
        });
    }

    /** Hides an anonymous principal, which {@code show-payloads} and the audit log would take for a user. */
    private static SecurityContext authenticated(SecurityContext caller) {
        return Principals.isAuthenticated(caller.getPrincipal()) ? caller : SecurityContext.NONE;
    }

    private static String nameOf(SecurityContext caller) {
        Principal principal = caller.getPrincipal();
        return principal == null ? "" : Objects.requireNonNullElse(principal.getName(), "");
    }

    /**
     * Returns the path of the view or action. If a query or body parameter has the name of the selector, the framework
     * passes that parameter instead of the path, which could bypass access rules for paths. Such a parameter is a
     * string or a list, whereas the path is an array.
     */
    private static String path(Object selector) {
        if (selector instanceof String[] segments) {
            return String.join("/", segments);
        }
        throw RejectedRequestException.badRequest(
                "Views and actions must be selected by the path, not by a parameter.");
    }

    private static WebEndpointResponse<byte[]> respond(Supplier<? extends WebEndpointResponse<?>> call) {
        try {
            WebEndpointResponse<?> response = call.get();
            return written(response.getStatus(), Objects.requireNonNull(response.getBody()));
        } catch (RejectedRequestException e) {
            return error(e.status(), e);
        } catch (IllegalArgumentException e) {
            return error(WebEndpointResponse.STATUS_BAD_REQUEST, e);
        } catch (DelayQueueUnavailableException e) {
            return error(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, e);
        } catch (DelayQueueException e) {
            return error(WebEndpointResponse.STATUS_INTERNAL_SERVER_ERROR, e);
        }
    }

    private static WebEndpointResponse<byte[]> error(int status, RuntimeException failure) {
        return written(status, new ErrorResponse(Objects.requireNonNullElse(failure.getMessage(), failure.toString())));
    }

    private static WebEndpointResponse<byte[]> written(int status, Object body) {
        return new WebEndpointResponse<>(ManagementJson.write(body), status, JSON);
    }
}
