package io.delayqueue.actuate;

import static java.time.Duration.ofHours;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.actuate.EndpointNode.Reply;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Invalid parameters of views and actions, and missing objects. */
abstract class EndpointRejectionCases extends EndpointTest {

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
                "upcoming  | span=2h                    | The span of all topics must be PT1H, P1D or all, but was PT2H",
                "upcoming  | buckets=24                 | The parameter 'buckets' requires the parameter 'topic': all topics together have 24 buckets.",
                "messages  | topic=t&sate=ready         | The view 'messages' has no parameter 'sate'. Parameters: topic, state, count, page.",
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
                "reschedule   | topic=t&id=a&delay=-1s      | delay must be zero or more, but was -1 s",
                "reschedule   | topic=t&id=a&delay=late     | The parameter 'delay' must be a duration such as PT10M, 10m or 600000 (ms), but was 'late'.",
                "reschedule   | topic=t&id=a&dueAt=1970-01-21T18:53:20Z | dueAt must be between 2000 and 9999, but was 1970-01-21T18:53:20Z (seconds taken for milliseconds?)",
                "reschedule   | topic=t&id=a&dueAt=tomorrow | The parameter 'dueAt' must be an instant such as 2030-01-31T12:00:00Z, but was 'tomorrow'.",
                "run          | topic=t&id=a&delay=1h       | The action 'run' has no parameter 'delay'. Parameters: topic, id.",
                "replay       | topic=t                     | The action 'replay' requires the parameter 'deadLetter'.",
                "review       | topic=t&deadLetter=l        | The action 'review' has no parameter 'deadLetter'. Parameters: topic.",
                "start-job    | topic=t&before=2030-01-01   | The action 'start-job' has no parameter 'before'. Parameters: action, topic, cause, exceptionType, shape, from, until, delay, perSecond, target, startAt, preview.",
                "start-job    | topic=t                     | The action 'start-job' requires the parameter 'action'.",
                "start-job    | topic=t&action=eat          | The parameter 'action' must be one of replay, purge, run, cancel, move, pause, resume, but was 'eat'.",
                "start-job    | topic=t&action=move         | target is required by the action move",
                "start-job    | topic=t&action=run&delay=1h | delay is permitted for the action replay only, but the action is run",
                "start-job    | topic=t&action=purge&perSecond=0 | The parameter 'perSecond' must be an integer from 1 to 100000, but was '0'.",
                "delete-topic |                             | The action 'delete-topic' requires the parameter 'topic'.",
                "limit        |                             | The action 'limit' requires the parameter 'topic'.",
                "limit        | topic=t                     | The action 'limit' requires at least one of maxConcurrent, maxConcurrentPerKey, rate and maxMessages, or none=true.",
                "limit        | topic=t&none=true&rate=1/1s | The action 'limit' requires at least one of maxConcurrent, maxConcurrentPerKey, rate and maxMessages, or none=true.",
                "limit        | topic=t&maxConcurrent=0     | The parameter 'maxConcurrent' must be from 1 to 1000000, but was 0.",
                "limit        | topic=t&maxConcurrent=few   | The parameter 'maxConcurrent' must be an integer, but was 'few'.",
                "limit        | topic=t&rate=often          | The parameter 'rate' must be a count and a period, such as 100/1m, but was 'often'.",
                "limit        | topic=t&rateBurst=2         | The parameter 'rateBurst' must not be set without a rate.",
                "clear-limits | topic=t&declared=yes        | The parameter 'declared' must be true or false, but was 'yes'.",
                "lift-hold    | topic=t&id=a                | The action 'lift-hold' has no parameter 'id'. Parameters: topic.",
                "release      | topic=t                     | The action 'release' requires either client or node.",
                "release      | client=c&node=n             | The action 'release' requires either client or node.",
                "pause        | listener=l                  | The action 'pause' requires the parameter 'topic'.",
                "resume       | node=n                      | The action 'resume' requires the parameter 'topic'.",
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
}
