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

/** What the endpoint refuses over HTTP, and how it says so, the same on each web stack. */
abstract class EndpointRefusalContract extends EndpointTest {

    EndpointRefusalContract(WebApplicationType stack) {
        super(stack);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "topic     |                            | For the view 'topic' the parameter 'topic' is missing.",
                "topic     | topic=                     | A topic must not be blank",
                "messages  | topic=t&count=0            | The parameter 'count' is a number from 1 to 500, but not '0'.",
                "messages  | topic=t&count=501          | The parameter 'count' is a number from 1 to 500, but not '501'.",
                "messages  | topic=t&count=many         | The parameter 'count' is a number from 1 to 500, but not 'many'.",
                "messages  | topic=t&state=lost         | The parameter 'state' is scheduled, ready or leased, but not 'lost'.",
                "messages  | topic=t&id=a               | For the view 'messages' there is no parameter 'id', but topic, state, count, page.",
                "message   | topic=t                    | For the view 'message' the parameter 'id' is missing.",
                "message   | topic=t&id=                | A message id must not be blank",
                "letter    | topic=t                    | For the view 'letter' the parameter 'letter' is missing.",
                "upcoming  | topic=t&span=soon          | The parameter 'span' is a length of time such as PT10M, 10m or 600000 (ms), but not 'soon'.",
                "upcoming  | topic=t&span=99999999999999999999d | The parameter 'span' is a length of time such as PT10M, 10m or 600000 (ms), but not '99999999999999999999d'.",
                "upcoming  | topic=t&buckets=121        | The parameter 'buckets' is a number from 1 to 120, but not '121'.",
                "messages  | topic=t&sate=ready         | There is no parameter 'sate', but topic, state, count, page, id, letter, span, buckets.",
                "messages  | topic=t&topic=u            | The parameter 'topic' is given more than once.",
                "topic     | topic=t&view=messages      | Views and actions are named by the path, but not by a parameter.",
            })
    void wrongParameterOfAViewIsToldInASentence(String view, String query, String sentence) {
        Reply reply = node.request("GET", "/" + view + "?" + (query == null ? "" : query), BodyPublishers.noBody());

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.error()).isEqualTo(sentence);
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
    void wrongPageIsToldInASentence(String view, String page) {
        node.send(topic, "a", "text", ofHours(1));

        Reply reply = node.view(view, "topic", topic, "page", page);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.error()).contains("page").contains(page);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cancel       |                             | For the action 'cancel' the parameter 'topic' is missing.",
                "cancel       | topic=t                     | For the action 'cancel' the parameter 'id' is missing.",
                "cancel       | topic=t&id=                 | A message id must not be blank",
                "reschedule   | topic=t&id=a                | To reschedule takes either a delay or a dueAt.",
                "reschedule   | topic=t&id=a&delay=-1s      | A delay is zero or more, but is PT-1S",
                "reschedule   | topic=t&id=a&delay=late     | The parameter 'delay' is a length of time such as PT10M, 10m or 600000 (ms), but not 'late'.",
                "reschedule   | topic=t&id=a&dueAt=tomorrow | The parameter 'dueAt' is a date such as 2030-01-31T12:00:00Z, but not 'tomorrow'.",
                "run          | topic=t&id=a&delay=1h       | For the action 'run' there is no parameter 'delay', but topic, id.",
                "replay       | topic=t                     | For the action 'replay' the parameter 'letter' is missing.",
                "purge-all    | topic=t&letter=l            | For the action 'purge-all' there is no parameter 'letter', but topic.",
                "purge-all    | topic=t&before=2030-01-01   | There is no parameter 'before', but topic, id, letter, listener, delay, dueAt.",
                "delete-topic |                             | For the action 'delete-topic' the parameter 'topic' is missing.",
                "pause        |                             | To pause or resume takes either a listener, for this node, or a topic, for all nodes.",
                "resume       | topic=t&listener=l          | To pause or resume takes either a listener, for this node, or a topic, for all nodes.",
                "cancel       | topic=t&id=a&action=run     | Views and actions are named by the path, but not by a parameter.",
            })
    void wrongParameterOfAnActionIsToldInASentence(String action, String parameters, String sentence) {
        List<String> all = new ArrayList<>();
        for (String parameter : parameters == null ? new String[0] : parameters.split("&")) {
            all.addAll(List.of(parameter.split("=", 2)));
        }

        Reply reply = node.act(action, all.toArray(String[]::new));

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.error()).isEqualTo(sentence);
    }

    @Test
    void viewAndActionThatAreNotThereAreToldWithThoseThatAre() {
        assertThat(node.view("lost").status()).isEqualTo(404);
        assertThat(node.view("lost").error())
                .isEqualTo("There is no view 'lost', but topic, messages, message, dead, letter, upcoming.");
        assertThat(node.view("topic/more", "topic", "t").status()).isEqualTo(404);
        assertThat(node.act("flush").status()).isEqualTo(404);
        assertThat(node.act("flush").error())
                .isEqualTo(
                        "There is no action 'flush', but cancel, reschedule, run, replay, replay-all, purge, purge-all,"
                                + " delete-topic, pause, resume.");
    }

    @Test
    void parameterOfTheOverviewThatIsNoneIsTold() {
        Reply reply = node.view("", "topic", "t");

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.error()).isEqualTo("There is no parameter 'topic', but history.");
        assertThat(node.view("", "_csrf", "of others").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"id=a", "id=a&id=a", "_csrf=x&id=a", "&%69d=a", "topic=other"})
    void queryOverrulesNoBody(String query) {
        node.send(topic, "a", "text", ofHours(1));
        node.send(topic, "b", "text", ofHours(1));
        String body = "{\"topic\":\"" + topic + "\",\"id\":\"b\"}";

        Reply reply = node.post("cancel?" + query, "application/json", body);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.error()).isEqualTo("An action takes its parameters in the JSON body, but none in the query.");
        assertThat(node.template().find(topic, "a")).isPresent();
        assertThat(node.template().find(topic, "b")).isPresent();
        assertThat(node.post("cancel?_csrf=x", "application/json", body).outcome())
                .isEqualTo("CANCELLED");
    }

    @Test
    void actionIsNotRenamedByAParameter() {
        node.send(topic, "a", "text", ofHours(1));
        String body = "{\"topic\":\"" + topic + "\",\"id\":\"a\",\"action\":\"cancel\"}";

        assertThat(node.post("run?action=cancel", "application/json", body).status())
                .isEqualTo(400);
        assertThat(node.post("run?action=x&action=cancel", "application/json", body)
                        .status())
                .isEqualTo(400);
        assertThat(node.template().find(topic, "a")).isPresent();
    }

    @Test
    void veryLongNamesAreRefusedShortly() {
        Reply view = node.view("message", "topic", topic, "id", "z".repeat(3000));
        Reply action = node.act("cancel", "topic", "t".repeat(100_000), "id", "a");

        assertThat(view.status()).isEqualTo(400);
        assertThat(view.error())
                .startsWith("A message id has at most 256 bytes")
                .hasSizeLessThan(700);
        assertThat(action.status()).isEqualTo(400);
        assertThat(action.error()).startsWith("A topic has at most 128 bytes").hasSizeLessThan(700);
    }

    @Test
    void whatIsNotThereIsNotFound() {
        assertThat(node.view("topic", "topic", topic).error()).isEqualTo("There is no topic '" + topic + "'.");
        assertThat(node.view("topic", "topic", topic).status()).isEqualTo(404);
        assertThat(node.view("message", "topic", topic, "id", "a").status()).isEqualTo(404);
        assertThat(node.view("letter", "topic", topic, "letter", "a@b").status())
                .isEqualTo(404);
        assertThat(node.view("letter", "topic", topic, "letter", "no letter").error())
                .isEqualTo("There is no dead letter 'no letter' in topic '" + topic + "'.");
        assertThat(node.view("messages", "topic", topic).text()).isEqualTo("{\"messages\":[]}");
        assertThat(texts(node.view("").json().path("topics"), "topic")).doesNotContain(topic);
    }

    static Stream<Arguments> whatFormsSend() {
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
    @MethodSource("whatFormsSend")
    void whatAFormCanSendChangesNothing(String contentType, String body) {
        node.send("forms", "a", "text", ofHours(1));
        try {
            for (String action : List.of("cancel", "cancel?topic=forms&id=a")) {
                assertThat(node.with("Origin", "https://evil.example")
                                .post(action, contentType, body)
                                .status())
                        .isEqualTo(403);
                Reply own = node.post(action, contentType, body);
                assertThat(own.status()).isEqualTo(415);
                assertThat(own.error())
                        .isEqualTo("An action takes a JSON body, sent with the header Content-Type: application/json.");
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
        assertThat(own.error())
                .isEqualTo("An action takes a JSON body, sent with the header Content-Type: application/json.");
        assertThat(foreign.status()).isEqualTo(403);
        assertThat(node.template().find(topic, "a")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "[1]", "{\"topic\":{\"a\":1}}", "\"topic\""})
    void bodyThatIsNoObjectOfTextsIsRefused(String body) {
        Reply reply = node.post("purge-all", "application/json", body);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.error())
                .isEqualTo("An action takes one JSON object of texts and numbers, such as"
                        + " {\"topic\": \"orders\", \"id\": \"4711\"}.");
    }

    @Test
    void foreignPageMayNotActEvenWithJson() {
        node.send(topic, "a", "text", ofHours(1));

        for (String origin :
                List.of("https://evil.example", "null", node.site() + "0", node.site() + ".evil.example")) {
            Reply reply = node.with("Origin", origin).act("cancel", "topic", topic, "id", "a");
            assertThat(reply.status()).as(origin).isEqualTo(403);
            assertThat(reply.error()).isEqualTo("A page of another host may change nothing here.");
        }
        assertThat(node.with("Sec-Fetch-Site", "cross-site")
                        .act("cancel", "topic", topic, "id", "a")
                        .status())
                .isEqualTo(403);
        assertThat(node.template().find(topic, "a")).isPresent();

        Reply own = node.with("Origin", node.site()).act("cancel", "topic", topic, "id", "a");
        assertThat(own.outcome()).isEqualTo("CANCELLED");
    }

    @Test
    void behindAProxyTheForwardedNameIsTheServers() {
        EndpointNode page = node.with("Origin", "https://admin.example");

        assertThat(page.act("cancel").status()).isEqualTo(403);
        assertThat(page.with("X-Forwarded-Host", "admin.example")
                        .with("X-Forwarded-Proto", "https")
                        .act("cancel")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void methodThatIsNoneIsToldInASentence() {
        Reply removed = node.request("DELETE", "/cancel", BodyPublishers.noBody());
        assertThat(removed.status()).isEqualTo(405);
        assertThat(removed.error()).isEqualTo("Views are asked for by GET, actions by POST.");
    }

    @Test
    void foreignPageMayAskButNotRead() {
        Reply reply = node.with("Origin", "https://evil.example").view("");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Access-Control-Allow-Origin")).isEmpty();
    }

    @Test
    void eachAnswerTellsBrowsersToBeCareful() {
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
