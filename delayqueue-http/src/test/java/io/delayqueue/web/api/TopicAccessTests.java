package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.admin.Job;
import io.delayqueue.admin.JobAction;
import io.delayqueue.admin.JobRequest;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.receive.Receipt;
import io.delayqueue.testing.SystemClock;
import io.delayqueue.web.api.ApiNode.Reply;
import io.delayqueue.web.api.json.Formats;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** A client with the topics {@code order-*} and {@code refunds} has no access to others. */
class TopicAccessTests {

    private final ApiNode node = ApiNode.shared();

    private Reply ask(String method, String path, String body) {
        return node.exchangeAs(ApiNode.ORDERS, method, path, body);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "POST   | /topics/TOPIC/messages                        | {\"payload\": 1}",
                "POST   | /topics/TOPIC/messages/batch                  | {\"messages\": [{\"payload\": 1}]}",
                "GET    | /topics/TOPIC/messages/a                      |",
                "DELETE | /topics/TOPIC/messages/a                      |",
                "POST   | /topics/TOPIC/messages/a/reschedule           | {\"delay\": 0}",
                "POST   | /receive                                      | {\"topics\": [\"order-2\", \"TOPIC\"]}",
                "POST   | /receive                                      | {\"topics\": [\"order-2\"], \"settlements\": SETTLEMENTS}",
                "POST   | /settle                                       | {\"settlements\": SETTLEMENTS}",
                "POST   | /leases/RECEIPT/acknowledge |",
                "POST   | /leases/RECEIPT/retry       |",
                "POST   | /leases/RECEIPT/postpone    | {\"delay\": 0}",
                "POST   | /leases/RECEIPT/let-others-pass | {\"delay\": 0}",
                "POST   | /leases/RECEIPT/dead-letter |",
                "POST   | /leases/RECEIPT/extend      |",
                "POST   | /leases/RECEIPT/release     |",
                "GET    | /topics/TOPIC/dead-letters                    |",
                "GET    | /topics/TOPIC/dead-letters/groups             |",
                "GET    | /topics/TOPIC/dead-letters/a                  |",
                "DELETE | /topics/TOPIC/dead-letters/a                  |",
                "POST   | /topics/TOPIC/dead-letters/a/replay           |",
                "GET    | /topics/TOPIC/schedules                       |",
                "GET    | /topics/TOPIC/schedules/a                     |",
                "PUT    | /topics/TOPIC/schedules/a                     | {\"every\": \"1h\", \"payload\": 1}",
                "POST   | /topics/TOPIC/schedules/a/pause               |",
                "POST   | /topics/TOPIC/schedules/a/resume              |",
                "POST   | /topics/TOPIC/schedules/a/run                 |",
                "DELETE | /topics/TOPIC/schedules/a                     |",
                "POST   | /topics/TOPIC/jobs                            | {\"action\": \"run\"}",
                "POST   | /topics/TOPIC/jobs/preview                    | {\"action\": \"run\"}"
            })
    void otherTopicsAreRejected(String method, String path, String body) {
        Reply other = ask(method, of("invoices", path), of("invoices", body));
        Reply encoded = ask(method, of("invoices", path.replace("TOPIC", "~aW52b2ljZXM")), of("invoices", body));
        Reply own = ask(method, of("order-1", path), of("order-1", body));

        for (Reply rejected : new Reply[] {other, encoded}) {
            assertThat(rejected.status()).isEqualTo(403);
            assertThat(rejected.problem()).isEqualTo("forbidden");
            assertThat(rejected.detail())
                    .isEqualTo("Client 'orders' has no access to topic 'invoices'. Use a topic that"
                            + " delayqueue.http.clients.orders.topics permits, or add this one.");
        }
        assertThat(own.status()).isNotEqualTo(403);
        assertThat(node.exchangeAs(ApiNode.TOKEN, method, of("invoices", path), of("invoices", body))
                        .status())
                .isNotEqualTo(403);
    }

    private static String of(String topic, @Nullable String text) {
        String receipt = new Receipt(topic, "a", "x").toString();
        return text == null
                ? ""
                : text.replace("SETTLEMENTS", "[{\"receipt\": \"RECEIPT\", \"action\": \"release\"}]")
                        .replace("RECEIPT", receipt)
                        .replace("TOPIC", topic);
    }

    @Test
    void otherTopicsAreNotListed() {
        for (String topic : List.of("order-listed", "invoices-listed")) {
            node.template()
                    .send(DelayMessage.to(topic)
                            .payload("text")
                            .delay(Duration.ofHours(1))
                            .build());
        }

        assertThat(ask("GET", "/topics?count=100", "")
                        .json()
                        .path("topics")
                        .valueStream()
                        .map(topic -> topic.path("topic").asString()))
                .contains("order-listed")
                .doesNotContain("invoices-listed");
    }

    @Test
    void cursorsOfPagesNameNoOtherTopics() {
        for (String topic : List.of("order-page-1", "order-page-2", "zzz-hidden")) {
            node.template()
                    .send(DelayMessage.to(topic)
                            .payload("text")
                            .delay(Duration.ofHours(1))
                            .build());
        }
        List<String> listed = new ArrayList<>();
        String query = "?count=1";
        while (!query.isEmpty()) {
            JsonNode page = ask("GET", "/topics" + query, "").json();
            assertThat(page.path("topics")).hasSize(1);
            String topic = page.path("topics").path(0).path("topic").asString();
            listed.add(topic);
            String next = page.path("next").asString("");
            if (!next.isEmpty()) {
                assertThat(Formats.ofBase64Url(next)).isEqualTo(topic);
            }
            query = next.isEmpty() ? "" : "?count=1&page=" + next;
        }
        assertThat(listed).contains("order-page-1", "order-page-2").doesNotContain("zzz-hidden");
    }

    @Test
    void messagesAreNotMovedToOtherTopics() {
        String path = "/topics/order-move/jobs";

        assertThat(ask("POST", path, "{\"action\": \"move\", \"target\": \"invoices\"}")
                        .status())
                .isEqualTo(403);
        assertThat(ask("POST", path + "/preview", "{\"action\": \"move\", \"target\": \"refunds\"}")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void jobsOfOtherTopicsAreHidden() {
        DelayQueueJobs jobs = node.bean(DelayQueueJobs.class);
        String own = jobs.start(later("order-jobs")).id();
        String other = jobs.start(later("invoices")).id();

        assertThat(ask("GET", "/jobs", "")
                        .json()
                        .path("jobs")
                        .valueStream()
                        .map(job -> job.path("id").asString()))
                .contains(own)
                .doesNotContain(other);
        assertThat(ask("GET", "/jobs/" + own, "").status()).isEqualTo(200);
        for (String method : List.of("GET", "DELETE")) {
            Reply hidden = ask(method, "/jobs/" + other, "");
            Reply absent = ask(method, "/jobs/absent", "");
            assertThat(hidden.status()).isEqualTo(404).isEqualTo(absent.status());
            assertThat(hidden.detail()).isEqualTo(absent.detail().replace("absent", other));
        }
        assertThat(jobs.job(other))
                .hasValueSatisfying(job -> assertThat(job.isActive()).isTrue());
        assertThat(ask("DELETE", "/jobs/" + own, "").status()).isEqualTo(200);
        jobs.stop(other);
    }

    @Test
    void targetOfAJobIsHiddenIfItIsAnotherTopic() {
        DelayQueueJobs jobs = node.bean(DelayQueueJobs.class);
        String own =
                jobs.start(inAnHour(JobRequest.move("order-jobs", "refunds"))).id();
        String other =
                jobs.start(inAnHour(JobRequest.move("order-jobs", "invoices"))).id();

        assertThat(ask("GET", "/jobs/" + own, "").json().path("target").asString())
                .isEqualTo("refunds");
        for (Reply reply : List.of(
                ask("GET", "/jobs", ""), ask("GET", "/jobs/" + other, ""), ask("DELETE", "/jobs/" + other, ""))) {
            assertThat(reply.status()).isEqualTo(200);
            assertThat(reply.text()).contains(other).doesNotContain("invoices");
        }
        assertThat(node.get("/jobs/" + other).json().path("target").asString()).isEqualTo("invoices");
        jobs.stop(own);
    }

    @Test
    void failureOfAJobThatMayNameItsTargetIsHiddenToo() {
        Instant now = SystemClock.now();
        Job failed = new Job(
                "1",
                JobRequest.move("order-jobs", "invoices"),
                Job.State.FAILED,
                1,
                0,
                0,
                null,
                now,
                now,
                "Topic 'invoices' is unreadable");

        assertThat(failed.withoutTarget().toString()).contains("order-jobs").doesNotContain("invoices");
    }

    private static JobRequest later(String topic) {
        return inAnHour(JobRequest.of(JobAction.RUN, topic));
    }

    private static JobRequest inAnHour(JobRequest request) {
        return request.startAt(SystemClock.now().plus(Duration.ofHours(1)));
    }
}
