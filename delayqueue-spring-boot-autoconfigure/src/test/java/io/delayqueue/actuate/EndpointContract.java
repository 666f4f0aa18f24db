package io.delayqueue.actuate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofHours;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.actuate.EndpointNode.Reply;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Schedule;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.template.DelayQueueSchedules;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.http.MediaType;
import tools.jackson.databind.JsonNode;

/** What depends on the web stack: parameters, bodies, status codes, headers, the guard, and the files of the dashboard. */
abstract class EndpointContract extends EndpointTest {

    private static final String PAGE = "/manage/ops/ui/the-queue";

    private final WebApplicationType stack;
    private EndpointNode anonymous;

    EndpointContract(WebApplicationType stack) {
        this.stack = stack;
    }

    @BeforeAll
    void start() {
        anonymous = EndpointNode.start(
                stack,
                "/manage/ops/data/queue",
                "management.endpoints.web.exposure.include=delayqueue,delayqueuedashboard",
                "management.server.base-path=/manage",
                "management.endpoints.web.base-path=/ops",
                "management.endpoints.web.path-mapping.delayqueue=data/queue",
                "management.endpoints.web.path-mapping.delayqueuedashboard=ui/the-queue",
                "management.endpoint.delayqueue.access=unrestricted",
                "management.endpoint.delayqueue.roles=OPERATOR,ANONYMOUS", // the role of requests without a user
                "delayqueue.allowed-hosts=queue.example",
                "management.endpoint.delayqueuedashboard.access=read-only",
                "server.forward-headers-strategy=native",
                "spring.jackson.property-naming-strategy=SNAKE_CASE",
                "management.endpoints.jackson.isolated-json-mapper=false",
                "delayqueue.topics[accounts].keys=ordered",
                "delayqueue.topics[orders/ordered].keys=ordered",
                "delayqueue.metrics.sample-interval=10m");
        node = anonymous.as("operator");
    }

    @AfterAll
    void stop() {
        node.close();
    }

    static List<String> hostileNames() {
        return List.of(
                "a/b//c/../d",
                "<img src=x onerror=alert(1)>",
                "…ünïcode 消息 \uD83D\uDE00",
                "\"quoted\" & 'single' \\ back",
                "line\nbreak\u0000\u2028",
                "%2e%2e%2f?topic=x#y",
                "z".repeat(120));
    }

    @ParameterizedTest
    @MethodSource("hostileNames")
    void namesAreReturnedUnchanged(String name) {
        topic = name;
        node.template()
                .send(DelayMessage.to(name)
                        .id(name)
                        .payload(name)
                        .header("h", name.replaceAll("\\p{Cntrl}", ""))
                        .delay(ofHours(1))
                        .build());

        Reply reply = node.view("message", "topic", name, "id", name);

        assertThat(reply.header("Content-Type")).singleElement().asString().contains("json");
        assertThat(reply.json().path("topic").asString()).isEqualTo(name);
        assertThat(reply.json().path("id").asString()).isEqualTo(name);
        assertThat(texts(node.view("", "live", name).json().path("topics"), "topic"))
                .contains(name);
        assertThat(node.act("cancel", "topic", name, "id", name).outcome()).isEqualTo("cancelled");
    }

    @Test
    void keysAndParkedMessagesAreShown() {
        for (String id : List.of("a", "b")) {
            node.template()
                    .send(DelayMessage.to("accounts")
                            .id(id)
                            .key("account-7")
                            .payload("text")
                            .build());
        }

        Reply status = node.view("topic", "topic", "accounts");
        Reply messages = node.view("messages", "topic", "accounts", "state", "ready");

        assertThat(status.json().path("ready").asInt()).isEqualTo(2);
        assertThat(status.json().path("parked").asInt()).isEqualTo(1);
        assertThat(texts(messages.json().path("messages"), "key")).containsExactly("account-7", "account-7");
        assertThat(messages.json()
                        .path("messages")
                        .valueStream()
                        .map(message -> message.path("parked").asBoolean()))
                .containsExactly(false, true);
    }

    @Test
    void slowestKeysAreShownWithTheirHeads() {
        for (String id : List.of("a", "b")) {
            node.template()
                    .send(DelayMessage.to("orders/ordered")
                            .id(id)
                            .key("account-7")
                            .payload("secret")
                            .build());
        }
        node.claim("orders/ordered").get(0).retry(ofHours(1), "not yet").join();

        Reply seen = node.view("slowest-keys", "topic", "orders/ordered");

        assertThat(seen.json().path("keys")).hasSize(1);
        JsonNode key = seen.json().path("keys").get(0);
        assertThat(key.path("key").asString()).isEqualTo("account-7");
        assertThat(key.path("parked").asInt()).isEqualTo(1);
        assertThat(key.path("held").asBoolean()).isTrue();
        assertThat(Instant.parse(key.path("oldestDue").asString())).isAfter(Instant.EPOCH);
        assertThat(key.path("head"))
                .isEqualTo(node.view("message", "topic", "orders/ordered", "id", "a")
                        .json());
        assertThat(key.path("head").path("lastFailure").asString()).contains("not yet");
        assertThat(anonymous.view("slowest-keys", "topic", "orders/ordered").text())
                .doesNotContain("secret");
        assertThat(node.view("slowest-keys", "topic", topic).text()).isEqualTo("{\"keys\":[]}");
    }

    @Test
    void schedulesAreShownAndChanged() {
        DelayQueueSchedules schedules = node.context().getBean(DelayQueueSchedules.class);
        schedules.put(Schedule.of(topic, "b/2")
                .cron("0 0 9 * * MON", ZoneId.of("Europe/Paris"))
                .payload("secret"));
        Instant first = requireNonNull(schedules
                .put(Schedule.of(topic, "a")
                        .every(ofHours(1))
                        .spread(Duration.ofMinutes(1))
                        .maxAttempts(2)
                        .payload("secret"))
                .next());

        assertThat(node.view("topic", "topic", topic).json().path("schedules").asInt())
                .isEqualTo(2);
        JsonNode one = node.view("schedule", "topic", topic, "id", "a").json();
        assertThat(one.path("everyMillis").asLong()).isEqualTo(3_600_000);
        assertThat(one.path("spreadMillis").asLong()).isEqualTo(60_000);
        assertThat(one.path("maxAttempts").asInt()).isEqualTo(2);
        assertThat(one.path("paused").asBoolean()).isFalse();
        assertThat(one.path("payloadText").asString()).isEqualTo("secret");
        assertThat(one.path("next").valueStream().map(next -> Instant.parse(next.asString())))
                .hasSize(5)
                .startsWith(first, first.plus(ofHours(1)));
        assertThat(one.path("occurrence").path("state").asString()).isEqualTo("scheduled");
        assertThat(Instant.parse(one.path("occurrence").path("slot").asString()))
                .isEqualTo(first);
        assertThat(one.has("cron")).isFalse();
        assertThat(one.has("orphanedSince")).isFalse();

        JsonNode page = node.view("schedules", "topic", topic, "count", "1").json();
        assertThat(texts(page.path("schedules"), "id")).containsExactly("a");
        JsonNode second = node.view(
                        "schedules",
                        "topic",
                        topic,
                        "count",
                        "1",
                        "page",
                        page.path("next").asString())
                .json();
        assertThat(second.has("next")).isFalse();
        JsonNode other = second.path("schedules").get(0);
        assertThat(other.path("cron").asString()).isEqualTo("0 0 9 * * MON");
        assertThat(other.path("zone").asString()).isEqualTo("Europe/Paris");
        assertThat(other.path("next")).hasSize(1);
        assertThat(anonymous.view("schedules", "topic", topic).text())
                .contains("\"b/2\"")
                .doesNotContain("secret");

        assertThat(node.act("pause-schedule", "topic", topic, "id", "a").outcome())
                .isEqualTo("paused");
        assertThat(node.view("schedule", "topic", topic, "id", "a")
                        .json()
                        .path("paused")
                        .asBoolean())
                .isTrue();
        assertThat(node.act("run-schedule", "topic", topic, "id", "a").outcome())
                .isEqualTo("sent");
        assertThat(node.view("topic", "topic", topic).json().path("ready").asInt())
                .isEqualTo(1);
        assertThat(node.act("resume-schedule", "topic", topic, "id", "a").outcome())
                .isEqualTo("resumed");
        assertThat(node.act("remove-schedule", "topic", topic, "id", "a").outcome())
                .isEqualTo("removed");
        for (String action : List.of("pause-schedule", "run-schedule", "resume-schedule", "remove-schedule")) {
            Reply missing = node.act(action, "topic", topic, "id", "a");
            assertThat(missing.status()).isEqualTo(404);
            assertThat(missing.detail()).isEqualTo("There is no schedule 'a' in topic '" + topic + "'.");
        }
        assertThat(node.view("schedule", "topic", topic, "id", "a").status()).isEqualTo(404);
        assertThat(node.view("schedules", "topic", "lost").text()).isEqualTo("{\"schedules\":[]}");
        schedules.remove(topic, "b/2");
    }

    @Test
    void scheduleThatNoListenerDeclaresIsShownAsOrphaned() {
        DelayQueueSchedules schedules = node.context().getBean(DelayQueueSchedules.class);
        schedules.put(Schedule.of("orphans", "a").every(ofHours(1)).payload("text"));
        try (RedisConnection redis =
                node.context().getBean(RedisConnectionFactory.class).getConnection()) {
            redis.hashCommands()
                    .hSet(
                            node.context().getBean(KeySpace.class).declarations(),
                            "topic=orphans&id=a".getBytes(UTF_8),
                            "1000 - every 3600000 0".getBytes(UTF_8));
        }

        assertThat(node.view("schedule", "topic", "orphans", "id", "a")
                        .json()
                        .path("orphanedSince")
                        .asString())
                .isEqualTo("1970-01-01T00:00:01.000Z");
        schedules.remove("orphans", "a");
    }

    @Test
    void cancelRemovesAMessage() {
        node.send(topic, "a", "text", ofHours(1));
        node.send(topic, "b", "text", ZERO);
        node.claim(topic);

        assertThat(node.act("cancel", "topic", topic, "id", "a").outcome()).isEqualTo("cancelled");
        assertThat(node.act("cancel", "topic", topic, "id", "b").outcome()).isEqualTo("cancelled_while_handled");
        Reply again = node.act("cancel", "topic", topic, "id", "a");

        assertThat(again.status()).isEqualTo(404);
        assertThat(again.outcome()).isEqualTo("not_found");
        assertThat(again.detail()).isEqualTo("There is no live message 'a' in topic '" + topic + "'.");
        assertThat(node.template().find(topic, "a")).isEmpty();
    }

    @Test
    void actionIsLoggedWithTheNameOfAnAuthenticatedUser() {
        Queue<String> users = new ConcurrentLinkedQueue<>();
        node.context().getBean(EventBus.class).add(new DelayQueueEvents() {
            @Override
            public void administered(String by, String action, String of, long count) {
                users.add(by);
            }
        });
        node.send(topic, "a", "text", ofHours(1));
        node.send(topic, "b", "text", ofHours(1));

        node.act("cancel", "topic", topic, "id", "a");
        anonymous.act("cancel", "topic", topic, "id", "b");

        assertThat(users).containsExactly("operator", "");
    }

    @Test
    void leasedMessageIsNotRescheduled() {
        node.send(topic, "a", "text", ZERO);
        node.claim(topic);

        Reply reply = node.act("run", "topic", topic, "id", "a");

        assertThat(reply.status()).isEqualTo(409);
        assertThat(reply.outcome()).isEqualTo("being_handled");
        assertThat(reply.detail()).endsWith("is being handled and was not changed.");
        assertThat(node.act("reschedule", "topic", topic, "id", "b", "delay", "1h")
                        .status())
                .isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource({", false", "visitor, false", "operator, true"})
    void payloadsAreShownToUsersWithTheRole(String user, boolean shown) {
        node.template()
                .send(DelayMessage.to(topic)
                        .id("a")
                        .payload("secret")
                        .header("h", "secret")
                        .delay(ofHours(1))
                        .build());
        node.toDeadLetters(topic + "/dead", "a", "secret");
        EndpointNode asked = user == null ? anonymous : anonymous.as(user);

        JsonNode message = asked.view("message", "topic", topic, "id", "a").json();
        JsonNode listed =
                asked.view("messages", "topic", topic).json().path("messages").get(0);
        JsonNode deadLetter = asked.view("dead", "topic", topic + "/dead")
                .json()
                .path("deadLetters")
                .get(0);

        for (JsonNode seen : new JsonNode[] {message, listed, deadLetter}) {
            assertThat(seen.path("id").asString()).isEqualTo("a");
            assertThat(seen.path("payloadBytes").asInt(0)).isEqualTo(shown ? 0 : 6);
            assertThat(seen.toString().contains("secret")).isEqualTo(shown);
            assertThat(seen.has("headers")).isEqualTo(shown);
        }
    }

    @Test
    void onlyTheEndpointIsFiltered() {
        for (String path : List.of("/", "/manage", "/manage/ops", "/manage/ops/data", "/manage/ops/data/queues")) {
            assertThat(node.page(path).header("Content-Security-Policy"))
                    .as(path)
                    .isEmpty();
        }
        for (String path :
                List.of("/manage/ops/data/queue", "/manage/ops/data/%71ueue", "/manage/ops/data/queue;a=b/topic")) {
            assertThat(node.page(path).header("Content-Security-Policy"))
                    .as(path)
                    .hasSize(1);
        }
    }

    /** A script fails because of what is stored, as it would without Redis. */
    @Test
    void failedCallIsUnavailableAndAFailedActionIsUnknown() {
        node.send(topic, "a", "text", ofHours(1));

        node.whileUnreadable(topic, () -> {
            Reply view = node.view("messages", "topic", topic);
            Reply action = node.act("cancel", "topic", topic, "id", "a");

            assertThat(view.status()).isEqualTo(503);
            assertThat(view.detail()).containsPattern("[A-Z][a-z]+ing .* failed: ");
            assertThat(action.status()).isEqualTo(503);
            assertThat(action.outcome()).isEqualTo("unknown");
            assertThat(action.detail())
                    .startsWith("It is unknown whether the action was performed. Check the state before you repeat"
                            + " it. Cancelling ")
                    .contains(" failed: ");
        });
    }

    @Test
    void unknownViewOrActionIsNotFound() {
        assertThat(node.view("lost").status()).isEqualTo(404);
        assertThat(node.view("lost").detail())
                .isEqualTo(
                        "Unknown view 'lost'. Views: topic, messages, message, find, dead, dead-letter, dead-groups, jobs,"
                                + " upcoming, forecast, slowest-keys, schedules, schedule, stack.");
        assertThat(node.view("topic/more", "topic", "t").status()).isEqualTo(404);
        assertThat(node.act("flush").status()).isEqualTo(404);
        assertThat(node.act("flush").detail())
                .isEqualTo(
                        "Unknown action 'flush'. Actions: cancel, reschedule, run, replay, purge, review, start-job, stop-job,"
                                + " delete-topic, limit, clear-limits, lift-hold, release, run-schedule, pause-schedule,"
                                + " resume-schedule, remove-schedule, pause, resume.");
    }

    @Test
    void unknownParameterOfTheOverviewIsRejected() {
        Reply reply = node.view("", "topic", "t");

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.detail()).isEqualTo("The overview has no parameter 'topic'. Parameters: history, live.");
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

    /** {@code RequestPolicyTests} tests each content type. */
    @ParameterizedTest
    @CsvSource({"application/x-www-form-urlencoded, topic=forms&id=a", "text/plain, '{}'", ","})
    void formSubmissionChangesNothing(String contentType, String body) {
        node.send("forms", "a", "text", ofHours(1));
        try {
            EndpointNode own = contentType == null ? node : node.with("Content-Type", contentType);
            String path = "/cancel?topic=forms&id=a";
            BodyPublisher form = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
            Reply reply = own.request("POST", path, form);
            Reply foreign = own.with("Origin", "https://evil.example").request("POST", path, form);

            assertThat(reply.status()).isEqualTo(415);
            assertThat(reply.detail())
                    .isEqualTo("An action requires a JSON body and the header Content-Type: application/json.");
            assertThat(foreign.status()).isEqualTo(403);
        } finally {
            assertThat(node.template().cancel("forms", "a").isCancelled()).isTrue();
        }
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

    /** The address of another site's host name may be changed to that of the server. Its pages have no credentials. */
    @Test
    void pageOfAReboundHostNeitherReadsNorActs() {
        node.send(topic, "a", "text", ofHours(1));
        EndpointNode rebound = at(anonymous, "evil.example");
        List<Reply> rejected = List.of(
                rebound.view(""),
                rebound.with("Origin", "http://evil.example").act("cancel", "topic", topic, "id", "a"));
        assertThat(rejected).allSatisfy(reply -> {
            assertThat(reply.status()).isEqualTo(403);
            assertThat(reply.detail()).contains("delayqueue.allowed-hosts");
        });
        assertThat(at(node, "evil.example").view("").status()).isEqualTo(200);

        EndpointNode allowed = at(anonymous, "queue.example");
        assertThat(allowed.view("").status()).isEqualTo(200);
        assertThat(allowed.with("Origin", "http://queue.example")
                        .act("cancel", "topic", topic, "id", "a")
                        .outcome())
                .isEqualTo("cancelled");
    }

    /** To the browser, its requests have the same origin, so that it may set any header except Host and those with Sec-. */
    @ParameterizedTest
    @MethodSource("forwarded")
    void pageOfAReboundHostCannotForwardAnother(String forwarded) {
        assertThat(anonymous.viewFrom("Host: evil.example", forwarded))
                .startsWith("403 ")
                .contains("delayqueue.allowed-hosts");
        assertThat(anonymous.viewFrom("Host: queue.example", forwarded)).startsWith("200 ");
    }

    static List<String> forwarded() {
        return List.of(
                "X-Forwarded-Host: localhost",
                "X-Forwarded-Proto: https",
                "X-Forwarded-Host: localhost\r\nX-Forwarded-Proto: https",
                "Forwarded: host=localhost;proto=https");
    }

    /** Only for HTTPS, browsers send such an origin, and Sec-Fetch-Site to a name that is public. */
    @ParameterizedTest
    @ValueSource(strings = {"Origin: https://shop.example", "Sec-Fetch-Site: same-origin"})
    void pageBehindAProxyThatTerminatesTlsIsAllowed(String evidence) {
        assertThat(anonymous.viewFrom("Host: shop.example", "X-Forwarded-Proto: https", evidence))
                .startsWith("200 ");
    }

    private static EndpointNode at(EndpointNode client, String host) {
        return client.with("X-Forwarded-Host", host).with("X-Forwarded-Proto", "http");
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

    @Test
    void dashboardFindsItsDataAndItsParts() {
        String page = page(PAGE).text();

        Reply data = page(resolve(attribute(page, "<meta name=\"delayqueue-endpoint\" content=")));
        assertThat(data.status()).isEqualTo(200);
        assertThat(data.json().path("topics").isArray()).isTrue();
        Reply script = page(resolve(attribute(page, "<script type=\"module\" src=")));
        assertThat(script.text()).contains("import {");
        Reply style = page(resolve(attribute(page, "<link rel=\"stylesheet\" href=")));
        assertThat(style.text()).contains(".figures {");
    }

    @Test
    void eachFileOfTheDashboardHasItsContentType() throws IOException {
        assertThat(type(page(PAGE))).isEqualTo("text/html");
        try (Stream<Path> files = Files.list(Path.of("src/main/resources/io/delayqueue/actuate/dashboard"))) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .filteredOn(name -> !name.endsWith(".html"))
                    .hasSizeGreaterThan(5)
                    .allSatisfy(name -> {
                        Reply part = page(PAGE + "/" + name);
                        assertThat(part.status()).isEqualTo(200);
                        assertThat(part.text()).isNotBlank();
                        assertThat(type(part))
                                .isEqualTo(
                                        name.endsWith(".js")
                                                ? "text/javascript"
                                                : name.endsWith(".css") ? "text/css" : "image/svg+xml");
                    });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"index.html", "none.js", "app.js.map", "..%2fdashboard%2fapp.js", "DashboardFiles.class"})
    void otherFilesThanThoseOfTheDashboardAreNotFound(String name) {
        assertThat(page(PAGE + "/" + name).status()).isIn(400, 404);
    }

    @Test
    void eachResponseOfTheDashboardHasSecurityHeaders() {
        for (String path : new String[] {PAGE, PAGE + "/app.js", PAGE + "/none.js"}) {
            Reply reply = page(path);
            assertThat(reply.header("Content-Security-Policy"))
                    .singleElement()
                    .asString()
                    .contains("default-src 'none'", "script-src 'self'")
                    .doesNotContain("unsafe");
            assertThat(reply.header("X-Content-Type-Options")).containsExactly("nosniff");
        }
    }

    @Test
    void dashboardRejectsOtherMethods() {
        Reply posted = node.with("Content-Type", "application/json").requestPage("POST", PAGE, "{}");

        assertThat(posted.status()).isIn(404, 405);
    }

    private Reply page(String path) {
        return node.page(path);
    }

    private static String resolve(String address) {
        return URI.create(PAGE).resolve(address).getPath();
    }

    private static String attribute(String page, String begin) {
        Matcher matcher = Pattern.compile(Pattern.quote(begin) + "\"([^\"]*)\"").matcher(page);
        assertThat(matcher.find()).as(begin).isTrue();
        return matcher.group(1);
    }

    private static String type(Reply reply) {
        MediaType type = MediaType.parseMediaType(reply.header("Content-Type").get(0));
        return type.getType() + "/" + type.getSubtype();
    }
}
