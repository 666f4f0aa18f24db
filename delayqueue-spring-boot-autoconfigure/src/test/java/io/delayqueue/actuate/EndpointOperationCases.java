package io.delayqueue.actuate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofHours;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.delayqueue.actuate.EndpointNode.Reply;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.HandlerForecasts;
import io.delayqueue.admin.NodeStatus;
import io.delayqueue.admin.Nodes;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.listener.Pause;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.testing.ShardLimits;
import io.delayqueue.testing.SystemClock;
import java.net.URLEncoder;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import tools.jackson.databind.JsonNode;

/** The views and actions of the endpoint. They do not depend on the web stack. */
abstract class EndpointOperationCases extends EndpointTest {

    @Test
    void overviewShowsNodeListenersAndTopics() {
        node.send(topic, "a", "text", ofHours(1));

        JsonNode overview = node.view("", "live", topic).json();

        assertThat(overview.path("namespace").asString())
                .isEqualTo(node.context().getEnvironment().getProperty("delayqueue.namespace"));
        assertThat(overview.path("node").asString()).isNotEmpty();
        assertThat(Instant.parse(overview.path("time").asString())).isBefore(Instant.MAX);
        assertThat(overview.path("writable").asBoolean()).isTrue();
        assertThat(overview.path("links").path("runbook").asString()).startsWith("https://");
        assertThat(overview.path("links").has("trace")).isFalse();
        assertThat(texts(overview.path("topics"), "topic")).contains(topic);
        assertThat(texts(overview.path("listeners"), "id")).containsExactlyInAnyOrder("worker", "undertaker");
        assertThat(listener("worker").toString()).isEqualTo("""
                        {"id":"worker","topic":"work","kind":"messages","state":"stopped","running":0,"concurrency":3,\
                        "attempts":{"succeeded":0,"retried":0,"dead":0,"handlingMillis":0,"failingMillis":0},\
                        "usualMillis":0,"youngestMillis":0,"byHeader":{}}""");
        assertThat(listener("undertaker").path("kind").asString()).isEqualTo("notifications");
    }

    private JsonNode listener(String id) {
        return node.view("")
                .json()
                .path("listeners")
                .valueStream()
                .filter(listener -> listener.path("id").asString().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void consumingNodesAreShown() {
        DelayListenerRegistry registry = node.context().getBean(DelayListenerRegistry.class);
        registry.start("worker");
        try {
            await().untilAsserted(() -> {
                JsonNode overview = node.view("").json();
                JsonNode seen = overview.path("nodes").get(0);
                assertThat(seen.path("node")).isEqualTo(overview.path("node"));
                // other tests of this node have received from other topics within the last minute
                assertThat(seen.path("topics"))
                        .extracting(JsonNode::asString)
                        .filteredOn(consumed -> !consumed.startsWith("orders/"))
                        .containsExactly("work");
                assertThat(Instant.parse(seen.path("lastSeen").asString())).isAfter(Instant.EPOCH);
                assertThat(seen.path("assignedShards").toString()).isEqualTo("{\"work\":[0]}");
                assertThat(seen.path("host").asString()).isNotEmpty();
                assertThat(seen.path("processId").asLong())
                        .isEqualTo(ProcessHandle.current().pid());
                assertThat(Instant.parse(seen.path("startedAt").asString())).isBefore(Instant.MAX);
                assertThat(seen.path("listeners").get(0).toString()).isEqualTo("""
                        {"id":"worker","topic":"work","kind":"messages","state":"running","running":0,"concurrency":3,\
                        "attempts":{"succeeded":0,"retried":0,"dead":0,"handlingMillis":0,"failingMillis":0},\
                        "usualMillis":0,"youngestMillis":0,"byHeader":{}}""");
                JsonNode work = node.view("topic", "topic", "work").json();
                assertThat(work.path("consumers")).containsExactly(overview.path("node"));
                assertThat(work.path("assignedNodes")).containsExactly(overview.path("node"));
            });
        } finally {
            registry.stop("worker").join();
        }
    }

    @Test
    void stackOfAListenerIsRequestedFromItsNode() {
        DelayListenerRegistry registry = node.context().getBean(DelayListenerRegistry.class);
        registry.start("worker");
        try {
            await().untilAsserted(() -> {
                String self = node.view("").json().path("node").asString();
                JsonNode stack = node.view("stack", "node", self, "listener", "worker")
                        .json()
                        .path("stack");
                assertThat(stack.path("listener").asString()).isEqualTo("worker");
                assertThat(stack.path("frames").isEmpty()).isTrue();
                assertThat(stack.has("handler")).isFalse();
            });
        } finally {
            registry.stop("worker").join();
        }
        assertThat(node.view("stack", "node", "gone", "listener", "worker").status())
                .isEqualTo(400);
    }

    @Test
    void findingsAreShownWithTheOverviewAndWithTheirTopic() {
        node.send(topic, "m", "text", ofHours(1));
        JsonNode found =
                node.view("topic", "topic", topic).json().path("findings").get(0);
        assertThat(found.path("level").asString()).isEqualTo("warning");
        assertThat(found.path("kind").asString()).isEqualTo("no_listener");
        assertThat(found.path("text").asString())
                .isEqualTo("No node listens to it, but 1 message is waiting. Is the name misspelled?");
        JsonNode overview = node.view("", "live", topic).json();
        assertThat(texts(overview.path("findings"), "kind")).contains("no_listener");
        assertThat(overview.path("formerNodes").isArray()).isTrue();
        JsonNode redis = overview.path("redis").get(0);
        assertThat(redis.path("role").asString()).isEqualTo("master");
        assertThat(redis.path("usedMemory").asLong()).isPositive();
        assertThat(redis.path("maxMemory").asLong()).isZero();
        assertThat(redis.path("evictionPolicy").asString()).isEqualTo("noeviction");
        assertThat(redis.has("refusal")).isFalse();
    }

    @Test
    void topicShowsCountsAndNodes() {
        node.toDeadLetters(topic, "dead", "text");
        node.send(topic, "leased", "text", ZERO);
        node.claim(topic);
        node.send(topic, "ready", "text", ZERO);
        node.send(topic, "scheduled", "text", ofHours(1));

        await().untilAsserted(() -> {
            sampler().wake();
            JsonNode seen = node.view("topic", "topic", topic).json();
            assertThat(seen.path("topic").asString()).isEqualTo(topic);
            assertThat(seen.path("shards").asInt()).isEqualTo(1);
            for (String state : List.of("scheduled", "ready", "leased", "dead")) {
                assertThat(seen.path(state).asInt()).as(state).isEqualTo(1);
            }
            assertThat(seen.path("lagMillis").asLong()).isPositive();
            assertThat(seen.path("paused").asBoolean(true)).isFalse();
            assertThat(seen.path("consumers"))
                    .as("it was received from")
                    .containsExactly(node.view("").json().path("node"));
            assertThat(seen.path("history").isEmpty()).isFalse();
            JsonNode last = seen.path("history").get(seen.path("history").size() - 1);
            assertThat(Instant.parse(last.path("at").asString())).isAfter(Instant.EPOCH);
            assertThat(last.path("dead").asInt()).isEqualTo(1);
            for (String number : List.of("sent", "handled", "failed")) {
                assertThat(last.path(number).isNumber()).as(number).isTrue();
                assertThat(number.equals("failed") || seen.path(number).isNumber())
                        .as(number)
                        .isTrue();
            }
        });
    }

    @Test
    void overviewCanOmitTheHistory() {
        node.send(topic, "a", "text", ofHours(1));
        await().untilAsserted(() -> {
            sampler().wake();
            assertThat(history("true").isEmpty()).isFalse();
        });

        assertThat(history("false").isEmpty()).isTrue();
        assertThat(node.view("", "history", "no").status()).isEqualTo(400);
        assertThat(node.view("", "history", "no").detail())
                .isEqualTo("The parameter 'history' must be true or false, but was 'no'.");
    }

    private TopicSampler sampler() {
        return node.context().getBean(TopicSampler.class);
    }

    private JsonNode history(String wanted) {
        return node.view("", "history", wanted, "live", topic)
                .json()
                .path("topics")
                .valueStream()
                .filter(each -> each.path("topic").asString().equals(topic))
                .findFirst()
                .orElseThrow()
                .path("history");
    }

    @Test
    void messageIsFoundInAllTopics() {
        String id = "order-" + topic;
        node.send(topic, id, "text", ofHours(1));
        node.send(topic + "/other", id, "text", ZERO);
        JsonNode found = node.view("find", "id", id).json().path("messages");
        assertThat(texts(found, "topic")).containsExactly(topic, topic + "/other");
        assertThat(texts(found, "state")).containsExactly("scheduled", "ready");
        assertThat(node.view("find", "id", id + "-no").json().path("messages")).isEmpty();
        assertThat(node.view("find").detail()).isEqualTo("The view 'find' requires the parameter 'id'.");
    }

    @Test
    void messagesArePagedInTheOrderOfTheirDueTimes() {
        for (int i = 5; i > 0; i--) {
            node.send(topic, "m" + i, "text", ofHours(i));
        }

        JsonNode first = node.view("messages", "topic", topic, "state", "scheduled", "count", "3")
                .json();
        JsonNode second = node.view(
                        "messages",
                        "topic",
                        topic,
                        "count",
                        "3",
                        "page",
                        first.path("next").asString())
                .json();

        assertThat(texts(first.path("messages"), "id")).containsExactly("m1", "m2", "m3");
        assertThat(texts(second.path("messages"), "id")).containsExactly("m4", "m5");
        assertThat(second.has("next")).isFalse();
    }

    @Test
    void messageIsShownWithHeadersAndPayload() {
        Instant due = SystemClock.now().plus(1, ChronoUnit.DAYS).truncatedTo(ChronoUnit.MILLIS);
        node.template()
                .send(DelayMessage.to(topic)
                        .id("a/b")
                        .payload(List.of(1, 2))
                        .header("tags", "vip")
                        .dueAt(due)
                        .build());

        JsonNode message = node.view("message", "topic", topic, "id", "a/b").json();

        assertThat(message.path("topic").asString()).isEqualTo(topic);
        assertThat(message.path("id").asString()).isEqualTo("a/b");
        assertThat(message.path("state").asString()).isEqualTo("scheduled");
        assertThat(Instant.parse(message.path("dueAt").asString())).isEqualTo(due);
        assertThat(Instant.parse(message.path("sentAt").asString())).isBefore(due);
        assertThat(message.path("attempts").asInt(-1)).isZero();
        assertThat(message.has("leaseEnd") || message.has("holder") || message.has("lastFailure"))
                .isFalse();
        assertThat(message.path("headers").toString()).isEqualTo("{\"tags\":\"vip\"}");
        assertThat(message.path("payloadText").asString()).isEqualTo("[1,2]");
        assertThat(message.has("payload") || message.has("payloadBytes")).isFalse();
    }

    @Test
    void leasedMessageShowsItsHolderAndLastFailure() {
        node.send(topic, "a", "text", ZERO);
        node.claim(topic).get(0).retry(ZERO, "not yet").join();
        node.claim(topic);

        JsonNode message = node.view("message", "topic", topic, "id", "a").json();

        assertThat(message.path("state").asString()).isEqualTo("leased");
        assertThat(message.path("attempts").asInt()).isEqualTo(2);
        assertThat(message.path("holder").asString()).isNotEmpty();
        assertThat(Instant.parse(message.path("leaseEnd").asString()))
                .isAfter(Instant.parse(message.path("dueAt").asString()));
        assertThat(message.path("lastFailure").asString()).contains("not yet");
    }

    @Test
    void deadLettersArePagedWithTheirCause() {
        for (String id : List.of("a", "b", "c")) {
            node.toDeadLetters(topic, id, "text of " + id);
        }

        JsonNode first = node.view("dead", "topic", topic, "count", "2").json();
        JsonNode second = node.view(
                        "dead",
                        "topic",
                        topic,
                        "count",
                        "2",
                        "page",
                        first.path("next").asString())
                .json();

        assertThat(texts(first.path("deadLetters"), "id")).containsExactly("c", "b");
        assertThat(texts(second.path("deadLetters"), "id")).containsExactly("a");
        JsonNode deadLetter = first.path("deadLetters").get(0);
        assertThat(deadLetter.path("cause").asString()).isEqualTo("requested");
        assertThat(deadLetter.path("failure").path("message").asString()).contains("is of no use");
        assertThat(deadLetter.path("attempts").asInt()).isEqualTo(1);
        assertThat(deadLetter.path("payloadText").asString()).isEqualTo("text of c");
        assertThat(node.view(
                                "dead-letter",
                                "topic",
                                topic,
                                "deadLetter",
                                deadLetter.path("deadLetterId").asString())
                        .json())
                .isEqualTo(deadLetter);
    }

    @Test
    void upcomingCountsByDueTime() {
        node.send(topic, "overdue", "text", ZERO);
        node.send(topic, "soon", "text", Duration.ofMinutes(90));
        node.send(topic, "later", "text", Duration.ofDays(2));

        JsonNode upcoming = node.view("upcoming", "topic", topic, "span", "P1D", "buckets", "24")
                .json();

        assertThat(upcoming.path("widthMillis").asLong()).isEqualTo(3_600_000);
        assertThat(upcoming.path("overdue").asInt()).isEqualTo(1);
        assertThat(upcoming.path("later").asInt()).isEqualTo(1);
        assertThat(upcoming.path("counts")).hasSize(24);
        assertThat(upcoming.path("counts").get(1).asInt()).isEqualTo(1);
        assertThat(Instant.parse(upcoming.path("from").asString())).isAfter(Instant.EPOCH);
    }

    @Test
    void forecastShowsHowManyHandlersATopicNeeds() {
        node.send(topic, "overdue", "text", ZERO);
        node.send(topic, "later", "text", Duration.ofMinutes(90));
        assertThat(node.view("forecast", "topic", topic).text()).isEqualTo("""
                {"present":0,"maxLatenessMillis":60000,"withoutSchedules":false}""");
        Duration mean = Duration.ofMinutes(5);
        ListenerStatus listener = new ListenerStatus(
                "l",
                topic,
                QueueKind.MESSAGES,
                ListenerStatus.State.RUNNING,
                0,
                8,
                null,
                null,
                new ListenerStatus.Attempts(1, 0, 0, mean, null, ZERO, null),
                mean,
                ZERO,
                new TreeMap<>());
        NodeStatus busy = new NodeStatus(
                "n", "h", 1, Instant.EPOCH, Instant.EPOCH, List.of(topic), new TreeMap<>(), List.of(listener));
        HandlerForecasts forecasts = node.context().getBean(HandlerForecasts.class);
        forecasts.sampled(
                node.context().getBean(DelayQueueInspector.class).topics(),
                new Nodes(Instant.EPOCH, List.of(busy), List.of()));
        await().until(() -> forecasts.of(topic).required() != null);

        JsonNode forecast = node.view("forecast", "topic", topic).json();

        assertThat(forecast.path("required").asInt()).as("5 minutes in one").isEqualTo(5);
        assertThat(forecast.path("peak").asInt()).isEqualTo(5);
        assertThat(forecast.path("peakAt")).isEqualTo(forecast.path("at"));
        assertThat(Instant.parse(forecast.path("at").asString())).isAfter(Instant.EPOCH);
        assertThat(forecast.path("present").asInt()).isEqualTo(8);
        assertThat(forecast.path("meanMillis").asLong()).isEqualTo(300_000);
        assertThat(forecast.has("emptyAt")).isFalse();
        assertThat(node.view("forecast").detail()).isEqualTo("The view 'forecast' requires the parameter 'topic'.");
    }

    @Test
    void upcomingShowsWhatBecomesDueUntilTheLastMessage() {
        node.send(topic, "now", "text", Duration.ZERO);
        node.send(topic, "soon", "text", Duration.ofMinutes(90));
        node.send(topic, "far", "text", Duration.ofDays(3650));

        JsonNode own = node.view("upcoming", "topic", topic, "span", "all", "buckets", "10")
                .json();
        assertThat(own.path("counts")).hasSize(10);
        assertThat(own.path("counts").get(0).asInt()).isEqualTo(1);
        assertThat(own.path("counts").get(9).asInt()).isEqualTo(1);
        assertThat(own.path("later").asInt()).isZero();
        assertThat(own.path("overdue").asInt()).isEqualTo(1);
        assertThat(Duration.between(
                                Instant.parse(own.path("from").asString()),
                                Instant.parse(own.path("latest").asString()))
                        .toDays())
                .isBetween(3649L, 3650L);

        JsonNode all = node.view("upcoming", "span", "all").json();
        assertThat(all.path("counts")).hasSize(24);
        assertThat(node.view("upcoming").json().path("widthMillis").asLong()).isEqualTo(150_000);
        assertThat(node.view("upcoming", "span", "P1D")
                        .json()
                        .path("widthMillis")
                        .asLong())
                .isEqualTo(3_600_000);
    }

    @Test
    void rescheduleSetsADelayOrADate() {
        node.send(topic, "a", "text", ofHours(1));
        Instant due = Instant.parse("2030-01-31T12:00:00Z");

        Reply dated = node.act("reschedule", "topic", topic, "id", "a", "dueAt", due.toString());
        assertThat(dated.outcome()).isEqualTo("rescheduled");
        assertThat(node.template().find(topic, "a").orElseThrow().dueAt()).isEqualTo(due);

        Reply delayed = node.act("reschedule", "topic", topic, "id", "a", "delay", "2h");
        assertThat(delayed.outcome()).isEqualTo("rescheduled");
        assertThat(node.template().find(topic, "a").orElseThrow().dueAt()).isBefore(due);
    }

    @Test
    void runMakesAMessageDue() {
        node.send(topic, "a", "text", ofHours(1));

        assertThat(node.act("run", "topic", topic, "id", "a").outcome()).isEqualTo("rescheduled");
        assertThat(node.template().find(topic, "a").orElseThrow().state()).isEqualTo(MessageState.READY);
    }

    @Test
    void replayIsRejectedIfTheIdIsLive() {
        String deadLetter = node.toDeadLetters(topic, "a", "text");
        node.send(topic, "a", "text", ofHours(1));

        Reply rejected = node.act("replay", "topic", topic, "deadLetter", deadLetter);
        assertThat(rejected.status()).isEqualTo(409);
        assertThat(rejected.outcome()).isEqualTo("id_live");
        node.template().cancel(topic, "a");
        assertThat(node.act("replay", "topic", topic, "deadLetter", deadLetter).outcome())
                .isEqualTo("replayed");
        assertThat(node.template().find(topic, "a")).isPresent();
        assertThat(node.act("replay", "topic", topic, "deadLetter", deadLetter).status())
                .isEqualTo(404);
    }

    @Test
    void groupOfDeadLettersIsReplayedByAJob() {
        for (String id : List.of("a", "b", "c")) {
            node.toDeadLetters(topic, id, "text");
        }
        node.send(topic, "b", "text", ofHours(1));
        JsonNode groups = node.view("dead-groups", "topic", topic).json();
        assertThat(groups.path("counted").asInt()).isEqualTo(3);
        assertThat(groups.path("complete").asBoolean()).isTrue();
        JsonNode kind = groups.path("groups").path(0).path("kind");
        String[] job = {
            "action",
            "replay",
            "topic",
            topic,
            "cause",
            kind.path("cause").asString(),
            "exceptionType",
            kind.path("exceptionType").asString(),
            "shape",
            kind.path("shape").asString(),
            "delay",
            "1h",
            "perSecond",
            "1000"
        };

        assertThat(node.act("start-job", with(job, "preview", "true")).text())
                .isEqualTo("{\"outcome\":\"previewed\",\"expected\":3}");
        Reply started = node.act("start-job", job);
        assertThat(started.outcome()).isEqualTo("started");
        assertThat(started.json().path("expected").asInt()).isEqualTo(3);
        String id = started.json().path("job").asString();

        await().until(() -> job(id).path("state").asString().equals("finished"));
        assertThat(job(id).path("done").asInt()).isEqualTo(2);
        assertThat(job(id).path("kept").asInt()).isEqualTo(1);
        assertThat(job(id).path("delayMillis").asLong()).isEqualTo(ofHours(1).toMillis());
        assertThat(job(id).path("shape")).isEqualTo(kind.path("shape"));
        assertThat(node.template().find(topic, "a")).isPresent();
        assertThat(node.act("stop-job", "job", id).outcome()).isEqualTo("finished");
        assertThat(node.act("stop-job", "job", "x").status()).isEqualTo(404);
    }

    private JsonNode job(String id) {
        for (JsonNode job : node.view("jobs").json().path("jobs")) {
            if (job.path("id").asString().equals(id)) {
                return job;
            }
        }
        throw new AssertionError("no job " + id);
    }

    private static String[] with(String[] parameters, String... more) {
        return Stream.concat(Stream.of(parameters), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void reviewedDeadLettersAreNoFinding() {
        node.toDeadLetters(topic, "a", "text");
        assertThat(node.view("topic", "topic", topic).json().path("unreviewed").asInt())
                .isEqualTo(1);
        assertThat(node.act("review", "topic", topic).outcome()).isEqualTo("reviewed");
        JsonNode reviewed = node.view("topic", "topic", topic).json();
        assertThat(reviewed.path("unreviewed").asInt()).isZero();
        assertThat(reviewed.path("dead").asInt()).isEqualTo(1);
        assertThat(reviewed.path("findings")).isEmpty();
    }

    @Test
    void purgeRemovesADeadLetter() {
        String deadLetter = node.toDeadLetters(topic, "a", "text");
        node.toDeadLetters(topic, "b", "text");

        assertThat(node.act("purge", "topic", topic, "deadLetter", deadLetter).outcome())
                .isEqualTo("purged");
        assertThat(node.act("purge", "topic", topic, "deadLetter", deadLetter).status())
                .isEqualTo(404);
        assertThat(node.view("dead-letter", "topic", topic, "deadLetter", deadLetter)
                        .status())
                .isEqualTo(404);
        assertThat(node.act("start-job", "action", "purge", "topic", topic).outcome())
                .isEqualTo("started");
        await().until(() -> node.view("dead", "topic", topic).text().equals("{\"deadLetters\":[]}"));
    }

    @Test
    void onlyAnEmptyTopicIsDeleted() {
        node.send(topic, "a", "text", ofHours(1));

        Reply rejected = node.act("delete-topic", "topic", topic);
        assertThat(rejected.status()).isEqualTo(409);
        assertThat(rejected.outcome()).isEqualTo("not_empty");
        assertThat(rejected.detail()).isNotEmpty();
        node.template().cancel(topic, "a");
        assertThat(node.act("delete-topic", "topic", topic).outcome()).isEqualTo("deleted");
        assertThat(node.act("delete-topic", "topic", topic).status()).isEqualTo(404);
        assertThat(node.view("topic", "topic", topic).status()).isEqualTo(404);
    }

    @Test
    void limitsOfATopicAreSetAndCleared() {
        assertThat(node.act(
                                "limit",
                                "topic",
                                topic,
                                "maxConcurrent",
                                "1",
                                "rate",
                                "100/1m",
                                "rateBurst",
                                "7",
                                "maxMessages",
                                "9")
                        .outcome())
                .isEqualTo("limited");
        node.send(topic, "a", "text", ZERO);
        node.claim(topic);
        node.send(topic, "b", "text", ZERO);

        JsonNode limits = limits();

        assertThat(limits.path("set").toString())
                .isEqualTo("{\"maxConcurrent\":1,\"rate\":{\"count\":100,\"periodMillis\":60000,\"burst\":7},"
                        + "\"maxMessages\":9}");
        assertThat(limits.path("effective")).isEqualTo(limits.path("set"));
        assertThat(limits.has("declared")).isFalse();
        assertThat(limits.path("used").asInt()).isEqualTo(1);
        assertThat(limits.path("full").asBoolean(true)).isFalse();
        assertThat(limits.path("heldBackBy").asString()).isEqualTo("concurrency");
        assertThat(Instant.parse(limits.path("heldBackSince").asString())).isBefore(Instant.MAX);

        assertThat(node.act("clear-limits", "topic", topic).outcome()).isEqualTo("cleared");
        assertThat(limits().isMissingNode()).isTrue();
        assertThat(node.act("limit", "topic", topic, "none", "true").outcome()).isEqualTo("limited");
        assertThat(limits().path("effective").toString()).isEqualTo("{}");
        assertThat(node.act("clear-limits", "topic", topic, "declared", "true").outcome())
                .isEqualTo("cleared");
        assertThat(limits().has("set")).isTrue();
    }

    private JsonNode limits() {
        return node.view("topic", "topic", topic).json().path("limits");
    }

    @Test
    void holdOfATopicIsLifted() {
        node.send(topic, "a", "text", ZERO);
        Reply none = node.act("lift-hold", "topic", topic);
        assertThat(none.status()).isEqualTo(404);
        assertThat(none.detail()).isEqualTo("Topic '" + topic + "' is not held.");
        hold("a");

        JsonNode hold = limits().path("hold");

        assertThat(hold.path("by").asString()).isEqualTo("a");
        assertThat(hold.path("times").asInt()).isEqualTo(4);
        assertThat(Instant.parse(hold.path("until").asString())).isAfter(Instant.EPOCH);
        assertThat(limits().path("heldBackBy").asString()).isEqualTo("hold");
        JsonNode found = node.view("topic", "topic", topic).json().path("findings");
        assertThat(texts(found, "kind")).contains("held");
        assertThat(node.act("lift-hold", "topic", topic).outcome()).isEqualTo("lifted");
        assertThat(limits().isMissingNode()).isTrue();
    }

    /** Holds the topic for an hour, as the settlement of a message does. */
    private void hold(String id) {
        byte[] meta =
                node.context().getBean(KeySpace.class).of(Shard.single(topic)).meta();
        long until = SystemClock.millis() + ofHours(1).toMillis();
        try (RedisConnection redis =
                node.context().getBean(RedisConnectionFactory.class).getConnection()) {
            String[] command = ShardLimits.command(new String(meta, UTF_8), "0 0 0 0");
            redis.execute(
                    command[0],
                    Stream.of(command).skip(1).map(part -> part.getBytes(UTF_8)).toArray(byte[][]::new));
            redis.hashCommands().hSet(meta, "hold".getBytes(UTF_8), (until + " 4 " + id).getBytes(UTF_8));
        }
    }

    @Test
    void leasesOfAClientAreReleased() {
        node.send(topic, "a", "text", ofHours(1));
        String[] release = {"client", "importer", "topic", topic};
        Reply unknown = node.act("release", release);
        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.detail())
                .isEqualTo("No process reports that HTTP client 'importer' holds leases of topic '" + topic
                        + "' for 30 s or longer.");
        KeySpace keys = node.context().getBean(KeySpace.class);
        try (RedisConnection redis =
                node.context().getBean(RedisConnectionFactory.class).getConnection()) {
            String report = SystemClock.millis() + "\ntopic=" + URLEncoder.encode(topic, UTF_8)
                    + "&client=importer&leases=40&oldest=400000&id=a";
            redis.hashCommands().hSet(keys.throughput(), "p".getBytes(UTF_8), report.getBytes(UTF_8));
            sampler().wake();
            await().untilAsserted(() -> assertThat(
                            texts(node.view("topic", "topic", topic).json().path("findings"), "kind"))
                    .contains("leases"));
            assertThat(node.view("topic", "topic", topic).json().path("holders").toString())
                    .isEqualTo("[{\"topic\":\"" + topic + "\",\"client\":\"importer\",\"leases\":40,"
                            + "\"oldestMillis\":400000,\"id\":\"a\",\"usualMillis\":0}]");

            assertThat(node.act("release", release).outcome()).isEqualTo("requested");

            assertThat(node.act("release", "node", "importer").status()).isEqualTo(404);
            assertThat(redis.hashCommands().hKeys(keys.releaseRequests())).hasSize(1);
            redis.keyCommands().del(keys.throughput(), keys.releaseRequests());
        }
        sampler().wake();
    }

    @Test
    void topicWithSeveralShardsIsNotLimited() {
        byte[] topics = node.context().getBean(KeySpace.class).topics();
        try (RedisConnection redis =
                node.context().getBean(RedisConnectionFactory.class).getConnection()) {
            redis.hashCommands().hSet(topics, topic.getBytes(UTF_8), "2:17".getBytes(UTF_8));
        }
        Reply rejected = node.act("limit", "topic", topic, "maxConcurrent", "1");
        assertThat(rejected.status()).isEqualTo(409);
        assertThat(rejected.outcome()).isEqualTo("several_shards");
        assertThat(rejected.detail()).contains("2 shards");
    }

    @Test
    void topicThatIsNotFairHasNoLimitForEachKey() {
        Reply rejected = node.act("limit", "topic", topic, "maxConcurrentPerKey", "1");
        assertThat(rejected.status()).isEqualTo(409);
        assertThat(rejected.outcome()).isEqualTo("not_fair");
        assertThat(rejected.detail()).contains("keys=fair");
    }

    @Test
    void listenerIsPausedOnANode() {
        DelayListenerRegistry registry = node.context().getBean(DelayListenerRegistry.class);
        ManagedListener worker = registry.getContainer("worker").orElseThrow();
        String name = node.view("").json().path("node").asString();
        String[] onNode = {"topic", "work", "listener", "worker", "node", name};
        registry.start("worker");
        try {
            await().until(() -> node.act("pause", onNode).status() == 200);
            await().untilAsserted(() -> assertThat(worker.pauses()).hasSize(1));
            assertThat(worker.pauses()).extracting(Pause::node, Pause::by).containsExactly(tuple(name, "operator"));
            assertThat(listener("worker").path("state").asString()).isEqualTo("paused");
            assertThat(node.act("pause", "topic", "work", "listener", "worker").outcome())
                    .isEqualTo("paused");
            await().untilAsserted(() -> assertThat(worker.pauses()).hasSize(2));

            JsonNode status = node.view("topic", "topic", "work").json();
            assertThat(status.path("paused").asBoolean(true)).isFalse();
            assertThat(status.path("pauses").valueStream().map(pause -> List.copyOf(pause.propertyNames())))
                    .containsExactlyInAnyOrder(
                            List.of("topic", "listener", "by", "at"), List.of("topic", "listener", "node", "by", "at"));

            assertThat(node.act("resume", "topic", "work", "listener", "worker").outcome())
                    .isEqualTo("resumed");
            assertThat(node.act("resume", onNode).outcome()).isEqualTo("resumed");
            await().untilAsserted(() -> assertThat(worker.pauses()).isEmpty());
            Reply repeated = node.act("resume", onNode);
            assertThat(repeated.status()).isEqualTo(404);
            assertThat(repeated.detail())
                    .isEqualTo("There is no pause of listener 'worker' of topic 'work' on node '" + name
                            + "'. The topic lists its pauses. A listener that its application paused is resumed by the"
                            + " application.");
        } finally {
            registry.stop("worker").join();
        }
    }

    @Test
    void unknownListenerOrNodeIsNotPaused() {
        Reply unknown = node.act("pause", "topic", topic, "listener", "nobody");
        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.detail())
                .isEqualTo("No live node has started a listener 'nobody' of topic '" + topic + "'.");
        assertThat(node.act("pause", "topic", topic, "node", "none").detail())
                .isEqualTo("There is no live node 'none'.");
    }

    @Test
    void topicIsPausedOnAllNodes() {
        node.send(topic, "a", "text", ofHours(1));

        assertThat(node.act("pause", "topic", topic).outcome()).isEqualTo("paused");
        assertThat(node.view("topic", "topic", topic).json().path("paused").asBoolean())
                .isTrue();
        assertThat(node.act("resume", "topic", topic).outcome()).isEqualTo("resumed");
        assertThat(node.view("topic", "topic", topic).json().path("paused").asBoolean(true))
                .isFalse();
    }
}
