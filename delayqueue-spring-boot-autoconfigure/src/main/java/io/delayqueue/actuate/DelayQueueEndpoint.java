package io.delayqueue.actuate;

import io.delayqueue.actuate.answer.ErrorAnswer;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueUnavailableException;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * Shows the queue and steers it over HTTP. Thread-safe; blocks for Redis, each call of it for a command time-out at most.
 *
 * <p>It only reads until {@code management.endpoint.delayqueue.access=unrestricted} allows actions. Every refusal has a body
 * with one sentence: 400 for parameters, 404 for what isn't there, 409 for what the state forbids, 503 for a Redis that
 * doesn't answer. It is no endpoint of JMX, which knows neither callers nor statuses, and where {@code DelayQueueAdmin}
 * would have to be exported whole.
 *
 * <p>Topics and ids are never part of a path, where a slash would break them: they are parameters, optional to the
 * framework, since it refuses a missing one without a word.
 */
@WebEndpoint(id = DelayQueueEndpoint.ID, defaultAccess = Access.READ_ONLY)
public final class DelayQueueEndpoint {

    /** The id, by which properties and the path name it. */
    public static final String ID = "delayqueue";

    private final OverviewReader overview;
    private final QueueViews views;
    private final QueueActions actions;
    private final PayloadAccess payloads;

    /** Over what reads, what acts, and who may see payloads. */
    public DelayQueueEndpoint(OverviewReader overview, QueueViews views, QueueActions actions, PayloadAccess payloads) {
        this.overview = overview;
        this.views = views;
        this.actions = actions;
        this.payloads = payloads;
    }

    /**
     * Shows the namespace: nodes, this node's listeners, topics.
     *
     * @param history whether with the topics' samples, which are most of it; true if it isn't given
     */
    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> overview(@Nullable String history) {
        return answer(() -> new WebEndpointResponse<>(overview.read(
                new Parameters("the overview").with("history", history).flag("history", true))));
    }

    /**
     * Shows one thing.
     *
     * @param view one of {@code View}
     */
    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> view(
            SecurityContext caller,
            @Selector(match = Match.ALL_REMAINING) Object view,
            @Nullable String topic,
            @Nullable String state,
            @Nullable String count,
            @Nullable String page,
            @Nullable String id,
            @Nullable String letter,
            @Nullable String span,
            @Nullable String buckets) {
        return answer(() -> {
            View asked = View.named(lastSegment(view));
            Parameters parameters = new Parameters("the view '" + asked.path() + "'")
                    .with("topic", topic)
                    .with("state", state)
                    .with("count", count)
                    .with("page", page)
                    .with("id", id)
                    .with("letter", letter)
                    .with("span", span)
                    .with("buckets", buckets)
                    .only(asked.parameters());
            return new WebEndpointResponse<>(views.read(asked, parameters, payloads.isOpenTo(caller)));
        });
    }

    /**
     * Does one thing. Since it takes parameters, the framework accepts only a JSON body, which no form can send.
     *
     * @param action one of {@code Action}
     */
    @WriteOperation
    public WebEndpointResponse<OperationResponseBody> act(
            @Selector(match = Match.ALL_REMAINING) Object action,
            @Nullable String topic,
            @Nullable String id,
            @Nullable String letter,
            @Nullable String listener,
            @Nullable String delay,
            @Nullable String dueAt) {
        return answer(() -> {
            Action asked = Action.named(lastSegment(action));
            Parameters parameters = new Parameters("the action '" + asked.path() + "'")
                    .with("topic", topic)
                    .with("id", id)
                    .with("letter", letter)
                    .with("listener", listener)
                    .with("delay", delay)
                    .with("dueAt", dueAt)
                    .only(asked.parameters());
            return actions.act(asked, parameters);
        });
    }

    /**
     * What the path says. Parameters of the query or the body that have a selector's name take its place, and would let a
     * caller do what rules about paths deny: they are texts or lists, while a path comes as an array.
     */
    private static String lastSegment(Object selected) {
        if (selected instanceof String[] segments) {
            return String.join("/", segments);
        }
        throw NotAnsweredException.badRequest("Views and actions are named by the path, but not by a parameter.");
    }

    private static WebEndpointResponse<OperationResponseBody> answer(
            Supplier<WebEndpointResponse<OperationResponseBody>> call) {
        try {
            return call.get();
        } catch (NotAnsweredException e) {
            return error(e.status(), e);
        } catch (IllegalArgumentException e) {
            return error(WebEndpointResponse.STATUS_BAD_REQUEST, e);
        } catch (DelayQueueUnavailableException e) {
            return error(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, e);
        } catch (DelayQueueException e) {
            return error(WebEndpointResponse.STATUS_INTERNAL_SERVER_ERROR, e);
        }
    }

    private static WebEndpointResponse<OperationResponseBody> error(int status, RuntimeException failure) {
        return new WebEndpointResponse<>(
                new ErrorAnswer(Objects.requireNonNullElse(failure.getMessage(), failure.toString())), status);
    }
}
