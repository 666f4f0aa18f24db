package io.delayqueue.actuate;

import static java.time.Duration.ofHours;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.delayqueue.actuate.EndpointNode.Reply;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;

/** Rejected requests to the endpoint over HTTP, on each web stack. */
abstract class EndpointRejectionContract extends EndpointTest {

    EndpointRejectionContract(WebApplicationType stack) {
        super(stack);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "topic     |                            | The view 'topic' requires the parameter 'topic'.",
                "topic     | topic=                     | A topic must not be blank",
                "messages  | topic=t&count=0            | The parameter 'count' must be an integer from 1 to 500, but was '0'.",
                "messages  | topic=t&count=501          | The parameter 'count' must be an integer from 1 to 500, but was '501'.",
                "messages  | topic=t&count=many         | The parameter 'count' must be an integer from 1 to 500, but was 'many'.",
                "messages  | topic=t&state=lost         | The parameter 'state' must be scheduled, ready or leased, but was 'lost'.",
                "messages  | topic=t&id=a               | The view 'messages' has no parameter 'id'. Parameters: topic, state, count, page.",
                "message   | topic=t                    | The view 'message' requires the parameter 'id'.",
                "message   | topic=t&id=                | A message id must not be blank",
                "dead-letter    | topic=t                    | The view 'dead-letter' requires the parameter 'deadLetter'.",
                "upcoming  | topic=t&span=soon          | The parameter 'span' must be a duration such as PT10M, 10m or 600000 (ms), but was 'soon'.",
                "upcoming  | topic=t&span=99999999999999999999d | The parameter 'span' must be a duration such as PT10M, 10m or 600000 (ms), but was '99999999999999999999d'.",
                "upcoming  | topic=t&buckets=121        | The parameter 'buckets' must be an integer from 1 to 120, but was '121'.",
                "messages  | topic=t&sate=ready         | Unknown parameter 'sate'. Parameters: topic, state, count, page, id, deadLetter, span, buckets.",
                "messages  | topic=t&topic=u            | The parameter 'topic' is given more than once.",
                "topic     | topic=t&view=messages      | Views and actions must be selected by the path, not by a parameter.",
            })
    void invalidParameterOfAViewIsRejected(String view, String query, String sentence) {
        Reply reply = node.request("GET", "/" + view + "?" + (query == null ? "" : query), BodyPublishers.noBody());

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.detail()).isEqualTo(sentence);
    }

    @ParameterizedTest
    @CsvSource({
        "messages, <b>",
        "messages, R.1.YQ",
        "messages, S.zzzzzzzzzzzz.YQ",
        "messages, S.1.Y",
        "messages, S.-1.YQ",
        "dead, <b>",
        "dead, 1",
        "dead, 1.",
        "dead, .1",
        "dead, -1.0",
        "dead, 1.-1",
        "dead, 1.zzzzzz",
        "dead, zzzzzzzzzzzz.0"
    })
    void invalidPageIsRejected(String view, String page) {
        node.send(topic, "a", "text", ofHours(1));

        Reply reply = node.view(view, "topic", topic, "page", page);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.detail()).contains("page").contains(page);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cancel       |                             | The action 'cancel' requires the parameter 'topic'.",
                "cancel       | topic=t                     | The action 'cancel' requires the parameter 'id'.",
                "cancel       | topic=t&id=                 | A message id must not be blank",
                "reschedule   | topic=t&id=a                | The action 'reschedule' requires either delay or dueAt.",
                "reschedule   | topic=t&id=a&delay=-1s      | delay must be zero or more, but was PT-1S",
                "reschedule   | topic=t&id=a&delay=late     | The parameter 'delay' must be a duration such as PT10M, 10m or 600000 (ms), but was 'late'.",
                "reschedule   | topic=t&id=a&dueAt=tomorrow | The parameter 'dueAt' must be an instant such as 2030-01-31T12:00:00Z, but was 'tomorrow'.",
                "run          | topic=t&id=a&delay=1h       | The action 'run' has no parameter 'delay'. Parameters: topic, id.",
                "replay       | topic=t                     | The action 'replay' requires the parameter 'deadLetter'.",
                "review       | topic=t&deadLetter=l        | The action 'review' has no parameter 'deadLetter'. Parameters: topic.",
                "start-job    | topic=t&before=2030-01-01   | Unknown parameter 'before'. Parameters: topic, id, deadLetter, listener, delay, dueAt, action, cause, exceptionType, shape, from, until, perSecond, target, startAt, preview, job.",
                "start-job    | topic=t                     | The action 'start-job' requires the parameter 'action'.",
                "start-job    | topic=t&action=eat          | The parameter 'action' must be one of replay, purge, run, cancel, move, pause, resume, but was 'eat'.",
                "start-job    | topic=t&action=move         | target is required by the action move",
                "start-job    | topic=t&action=run&delay=1h | delay is permitted for the action replay only, but the action is run",
                "start-job    | topic=t&action=purge&perSecond=0 | The parameter 'perSecond' must be an integer from 1 to 100000, but was '0'.",
                "delete-topic |                             | The action 'delete-topic' requires the parameter 'topic'.",
                "pause        |                             | The actions 'pause' and 'resume' require either listener (on this node) or topic (on all nodes).",
                "resume       | topic=t&listener=l          | The actions 'pause' and 'resume' require either listener (on this node) or topic (on all nodes).",
                "cancel       | topic=t&id=a&path=run       | Views and actions must be selected by the path, not by a parameter.",
            })
    void invalidParameterOfAnActionIsRejected(String action, String parameters, String sentence) {
        List<String> all = new ArrayList<>();
        for (String parameter : parameters == null ? new String[0] : parameters.split("&")) {
            all.addAll(List.of(parameter.split("=", 2)));
        }

        Reply reply = node.act(action, all.toArray(String[]::new));

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.detail()).isEqualTo(sentence);
    }

    @Test
    void unknownViewOrActionIsNotFound() {
        assertThat(node.view("lost").status()).isEqualTo(404);
        assertThat(node.view("lost").detail())
                .isEqualTo(
                        "Unknown view 'lost'. Views: topic, messages, message, find, dead, dead-letter, dead-groups, jobs,"
                                + " upcoming.");
        assertThat(node.view("topic/more", "topic", "t").status()).isEqualTo(404);
        assertThat(node.act("flush").status()).isEqualTo(404);
        assertThat(node.act("flush").detail())
                .isEqualTo(
                        "Unknown action 'flush'. Actions: cancel, reschedule, run, replay, purge, review, start-job, stop-job,"
                                + " delete-topic, pause, resume.");
    }

    @Test
    void unknownParameterOfTheOverviewIsRejected() {
        Reply reply = node.view("", "topic", "t");

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.detail()).isEqualTo("Unknown parameter 'topic'. Parameters: history, live.");
        assertThat(node.view("", "_csrf", "of others").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"id=a", "id=a&id=a", "_csrf=x&id=a", "&%69d=a", "topic=other"})
    void queryParametersOfAnActionAreRejected(String query) {
        node.send(topic, "a", "text", ofHours(1));
        node.send(topic, "b", "text", ofHours(1));
        String body = "{\"topic\":\"" + topic + "\",\"id\":\"b\"}";

        Reply reply = node.post("cancel?" + query, "application/json", body);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.detail()).isEqualTo("The parameters of an action must be in the JSON body, not in the query.");
        assertThat(node.template().find(topic, "a")).isPresent();
        assertThat(node.template().find(topic, "b")).isPresent();
        assertThat(node.post("cancel?_csrf=x", "application/json", body).outcome())
                .isEqualTo("cancelled");
    }

    @Test
    void actionCannotBeSelectedByAParameter() {
        node.send(topic, "a", "text", ofHours(1));
        String body = "{\"topic\":\"" + topic + "\",\"id\":\"a\",\"path\":\"cancel\"}";

        assertThat(node.post("run?path=cancel", "application/json", body).status())
                .isEqualTo(400);
        assertThat(node.post("run?path=x&path=cancel", "application/json", body).status())
                .isEqualTo(400);
        assertThat(node.template().find(topic, "a")).isPresent();
    }

    @Test
    void errorTruncatesLongNames() {
        Reply view = node.view("message", "topic", topic, "id", "z".repeat(3000));
        Reply action = node.act("cancel", "topic", "t".repeat(100_000), "id", "a");

        assertThat(view.status()).isEqualTo(400);
        assertThat(view.detail())
                .startsWith("A message id must have at most 256 bytes")
                .hasSizeLessThan(700);
        assertThat(action.status()).isEqualTo(400);
        assertThat(action.detail())
                .startsWith("A topic must have at most 128 bytes")
                .hasSizeLessThan(700);
    }

    @Test
    void missingObjectIsNotFound() {
        assertThat(node.view("topic", "topic", topic).detail()).isEqualTo("There is no topic '" + topic + "'.");
        assertThat(node.view("topic", "topic", topic).status()).isEqualTo(404);
        assertThat(node.view("message", "topic", topic, "id", "a").status()).isEqualTo(404);
        assertThat(node.view("dead-letter", "topic", topic, "deadLetter", "a@b").status())
                .isEqualTo(404);
        assertThat(node.view("dead-letter", "topic", topic, "deadLetter", "no dead letter")
                        .detail())
                .isEqualTo("There is no dead letter 'no dead letter' in topic '" + topic + "'.");
        assertThat(node.view("messages", "topic", topic).text()).isEqualTo("{\"messages\":[]}");
        assertThat(texts(node.view("", "live", topic).json().path("topics"), "topic"))
                .doesNotContain(topic);
    }

    static Stream<Arguments> formBodies() {
        String query = "topic=forms&id=a";
        String json = "{\"topic\":\"forms\",\"id\":\"a\"}";
        return Stream.of(
                arguments("text/plain", json),
                arguments("text/plain", query),
                arguments("application/x-www-form-urlencoded", query),
                arguments("application/x-www-form-urlencoded", json),
                arguments(
                        "multipart/form-data; boundary=b",
                        "--b\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\na\r\n--b--\r\n"),
                arguments("multipart/form-data", json));
    }

    @ParameterizedTest
    @MethodSource("formBodies")
    void formSubmissionChangesNothing(String contentType, String body) {
        node.send("forms", "a", "text", ofHours(1));
        try {
            for (String action : List.of("cancel", "cancel?topic=forms&id=a")) {
                assertThat(node.with("Origin", "https://evil.example")
                                .post(action, contentType, body)
                                .status())
                        .isEqualTo(403);
                Reply own = node.post(action, contentType, body);
                assertThat(own.status()).isEqualTo(415);
                assertThat(own.detail())
                        .isEqualTo("An action requires a JSON body and the header Content-Type: application/json.");
            }
        } finally {
            assertThat(node.template().cancel("forms", "a").isCancelled()).isTrue();
        }
    }

    @Test
    void actionWithoutABodyChangesNothing() {
        node.send(topic, "a", "text", ofHours(1));

        Reply own = node.request("POST", "/cancel?topic=" + topic + "&id=a", BodyPublishers.noBody());
        Reply foreign = node.with("Origin", "null")
                .request("POST", "/cancel?topic=" + topic + "&id=a", BodyPublishers.noBody());

        assertThat(own.status()).isEqualTo(415);
        assertThat(own.detail())
                .isEqualTo("An action requires a JSON body and the header Content-Type: application/json.");
        assertThat(foreign.status()).isEqualTo(403);
        assertThat(node.template().find(topic, "a")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "[1]", "{\"topic\":{\"a\":1}}", "\"topic\""})
    void bodyMustBeAnObjectOfStrings(String body) {
        Reply reply = node.post("review", "application/json", body);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.detail())
                .isEqualTo("The body of an action must be a JSON object of strings and numbers, such as"
                        + " {\"topic\": \"orders\", \"id\": \"4711\"}.");
    }

    @Test
    void pageOfAnotherOriginMustNotAct() {
        node.send(topic, "a", "text", ofHours(1));

        for (String origin :
                List.of("https://evil.example", "null", node.site() + "0", node.site() + ".evil.example")) {
            Reply reply = node.with("Origin", origin).act("cancel", "topic", topic, "id", "a");
            assertThat(reply.status()).as(origin).isEqualTo(403);
            assertThat(reply.detail()).isEqualTo("Requests of pages of another origin must not change anything.");
        }
        assertThat(node.with("Sec-Fetch-Site", "cross-site")
                        .act("cancel", "topic", topic, "id", "a")
                        .status())
                .isEqualTo(403);
        assertThat(node.template().find(topic, "a")).isPresent();

        Reply own = node.with("Origin", node.site()).act("cancel", "topic", topic, "id", "a");
        assertThat(own.outcome()).isEqualTo("cancelled");
    }

    @Test
    void forwardedHostIsTheOriginOfTheServer() {
        EndpointNode page = node.with("Origin", "https://admin.example");

        assertThat(page.act("cancel").status()).isEqualTo(403);
        assertThat(page.with("X-Forwarded-Host", "admin.example")
                        .with("X-Forwarded-Proto", "https")
                        .act("cancel")
                        .status())
                .isEqualTo(400);
    }

    /** The address of another site's host name may be changed to that of the server. */
    @Test
    void pageOfAReboundHostMayNotAct() {
        node.send(topic, "a", "text", ofHours(1));
        Reply rebound = node.with("Origin", "http://evil.example")
                .with("X-Forwarded-Host", "evil.example")
                .with("X-Forwarded-Proto", "http")
                .act("cancel", "topic", topic, "id", "a");
        assertThat(rebound.status()).isEqualTo(403);
        assertThat(rebound.detail()).contains("management.endpoint.delayqueue.allowed-hosts");
        assertThat(node.template().find(topic, "a")).isPresent();

        Reply allowed = node.with("Origin", "http://queue.example")
                .with("X-Forwarded-Host", "queue.example")
                .with("X-Forwarded-Proto", "http")
                .act("cancel", "topic", topic, "id", "a");
        assertThat(allowed.outcome()).isEqualTo("cancelled");
    }

    @Test
    void otherMethodsAreRejected() {
        Reply removed = node.request("DELETE", "/cancel", BodyPublishers.noBody());
        assertThat(removed.status()).isEqualTo(405);
        assertThat(removed.detail()).isEqualTo("Views require GET, actions require POST.");
    }

    @Test
    void pageOfAnotherOriginCannotReadResponses() {
        Reply reply = node.with("Origin", "https://evil.example").view("");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Access-Control-Allow-Origin")).isEmpty();
    }

    @Test
    void eachResponseHasSecurityHeaders() {
        for (Reply reply : List.of(
                node.view(""),
                node.view("lost"),
                node.view("topic"),
                node.act("cancel"),
                node.post("cancel", "text/plain", "x"),
                node.request("DELETE", "/cancel", BodyPublishers.noBody()),
                node.with("Origin", "null").act("cancel"))) {
            String what = reply.status() + " " + reply.response().request();
            assertThat(reply.header("Content-Security-Policy"))
                    .as(what)
                    .singleElement()
                    .asString()
                    .startsWith("default-src 'none'; script-src 'self';")
                    .endsWith("frame-ancestors 'none'");
            assertThat(reply.header("X-Content-Type-Options")).as(what).containsExactly("nosniff");
            assertThat(reply.header("Referrer-Policy")).as(what).containsExactly("no-referrer");
            assertThat(reply.header("Cache-Control")).as(what).containsExactly("no-store");
        }
    }
}
