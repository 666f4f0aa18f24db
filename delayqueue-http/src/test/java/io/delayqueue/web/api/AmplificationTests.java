package io.delayqueue.web.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageState;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.template.receive.Receipt;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.web.api.ApiNode.Reply;
import io.delayqueue.web.waiting.LongPolls;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** The cost of the names that clients send: keys in Redis, scripts of the request, and scripts from then on. */
@EmbeddedRedis(dedicated = true)
class AmplificationTests {

    private static final int TIMES = 6;
    private static final int MAX_TOPICS = 20;
    private static final int POPPED = 30;
    private static final int SETTLED = 30;
    /** More requests than {@link #OWN_SCRIPTS}. */
    private static final int MANY = 10;

    private static final String RELEASE = "{\"receipt\": \"$\", \"action\": \"release\"}";
    /** For heartbeats and retention, which are rare, but may run during a test. */
    private static final int OWN_SCRIPTS = 5;

    private static final Pattern EVALSHA = Pattern.compile("cmdstat_evalsha:calls=(\\d+)");

    private static RedisServerProcess redis;
    private static ApiNode node;

    @BeforeAll
    static void start(RedisServerProcess server) {
        redis = server;
        node = ApiNode.start(
                "spring.data.redis.host=127.0.0.1",
                "spring.data.redis.port=" + redis.port(),
                "delayqueue.listener.auto-startup=false",
                "delayqueue.engine.heartbeat=1m",
                "delayqueue.engine.heartbeat-timeout=10m",
                "delayqueue.http.max-topics=" + MAX_TOPICS,
                "delayqueue.http.compat.enabled=true",
                "delayqueue.http.compat.base-path=/q",
                "delayqueue.http.compat.max-wait=10ms");
        // creates everything that is created on first use
        node.template()
                .send(DelayMessage.to("first")
                        .payload("x")
                        .delay(Duration.ofHours(1))
                        .build());
        node.receive("first", "{\"wait\": \"10ms\"}");
        await().until(() -> keys() > 0);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static long keys() {
        return (Long) redis.command("DBSIZE");
    }

    private long scripts() {
        Matcher calls = EVALSHA.matcher((String) redis.command("INFO", "commandstats"));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }

    private long topics() {
        return (Long) redis.command("HLEN", new String(node.bean(KeySpace.class).topics(), UTF_8));
    }

    /** The scripts that read all topics once, as each sample does. */
    private long scriptsThatReadTopics() {
        long before = scripts();
        node.bean(DelayQueueInspector.class).topics();
        return scripts() - before;
    }

    /** Method, path, body and permitted scripts. A % is replaced by an unknown name, a $ by a receipt of such a topic. */
    static Stream<Arguments> requests() {
        String names = names(POPPED);
        String api = ApiNode.BASE + "/topics/%";
        String receive = ApiNode.BASE + "/receive";
        String quoted = "\"" + names.replace(",", "\", \"") + "\"";
        String tooMany = names(101);
        return Stream.of(
                arguments("POST", receive, "{\"topics\": [\"%\"]}", 1),
                arguments("POST", receive, "{\"topics\": [\"%\"], \"wait\": \"20ms\"}", 1),
                arguments("POST", receive, "{\"topics\": [" + quoted + "]}", POPPED),
                arguments("POST", receive, "{\"topics\": [\"" + tooMany.replace(",", "\", \"") + "\"]}", 0),
                arguments("GET", api + "/messages/1", "", 1),
                arguments("DELETE", api + "/messages/1", "", 1),
                arguments("POST", api + "/messages/1/reschedule", "{\"delay\": \"1m\"}", 1),
                arguments("POST", ApiNode.BASE + "/leases/$/acknowledge", "", 1),
                arguments("POST", ApiNode.BASE + "/leases/$/extend", "", 1),
                arguments("POST", ApiNode.BASE + "/settle", "{\"settlements\": [" + RELEASE + "]}", 1),
                arguments(
                        "POST",
                        receive,
                        "{\"topics\": [\"%\"], \"settlements\": [" + RELEASE + ", " + RELEASE + "]}",
                        3),
                arguments("POST", receive, "{\"topics\": [\"%\"], \"settlements\": [{}]}", 0),
                arguments("GET", api + "/dead-letters", "", 1),
                arguments("GET", api + "/dead-letters/1@2", "", 2),
                arguments("POST", api + "/dead-letters/1@2/replay", "{}", 2),
                arguments("POST", api + "/messages", "{}", 0),
                arguments("POST", api + "/messages", "{\"payload\": 1, \"delay\": \"9000d\"}", 0),
                arguments("POST", api + "/messages/batch", "{\"messages\": []}", 0),
                arguments("GET", api + "/schedules", "", 2),
                arguments("GET", api + "/schedules/1", "", 1),
                arguments("PUT", api + "/schedules/1", "{\"every\": 0, \"payload\": 1}", 0),
                arguments("DELETE", api + "/schedules/1", "", 1),
                arguments("POST", api + "/schedules/1/pause", "", 1),
                arguments("POST", api + "/schedules/1/run", "", 1),
                arguments("POST", "/q/pop", "{\"topic\": \"" + names + "\"}", 2 * POPPED),
                arguments("POST", "/q/pop", "{\"topic\": \"" + tooMany + "\"}", 0),
                arguments("POST", "/q/push", "{\"topic\": \"%\", \"id\": \"%\", \"delay\": 0, \"ttr\": 1}", 0),
                arguments("POST", "/q/get", "{\"id\": \"%\"}", 1),
                arguments("POST", "/q/delete", "{\"id\": \"%\"}", 1),
                arguments("POST", "/q/finish", "{\"id\": \"%\"}", 1));
    }

    private static String names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "%-" + i).collect(Collectors.joining(","));
    }

    @ParameterizedTest
    @MethodSource("requests")
    void requestsForUnknownNamesStoreNothingAndUnauthorizedOnesDoNotReachRedis(
            String method, String path, String body, int scripts) {
        long keys = keys();
        long ofTopics = scriptsThatReadTopics();
        long before = scripts();
        for (int i = 0; i < TIMES; i++) {
            assertThat(exchange(method, path, body, "no token").status()).isEqualTo(401);
        }
        assertThat(scripts() - before).isLessThanOrEqualTo(OWN_SCRIPTS);
        before = scripts();

        for (int i = 0; i < TIMES; i++) {
            assertThat(exchange(method, path, body, ApiNode.TOKEN).status()).isNotIn(401, 500, 503);
        }

        assertThat(scripts() - before).isLessThanOrEqualTo((long) TIMES * scripts + OWN_SCRIPTS);
        assertThat(keys()).isLessThanOrEqualTo(keys);
        // a heartbeat or retention may come in between, but not always
        await().untilAsserted(() -> assertThat(scriptsThatReadTopics()).isLessThanOrEqualTo(ofTopics + 1));
    }

    private Reply exchange(String method, String path, String body, String token) {
        String name = UUID.randomUUID().toString();
        String receipt = new Receipt(name, "1", "1.0.0.x-1").toString();
        UnaryOperator<String> named = text -> text.replace("%", name).replace("$", receipt);
        return node.exchange(HttpRequest.newBuilder(URI.create(node.site() + named.apply(path)))
                .timeout(ApiNode.MAX_WAIT)
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(named.apply(body))));
    }

    @Test
    void waitsForUnknownTopicsThatTimeOutCostNoFurtherScript() {
        long keys = keys();
        long before = scripts();
        awaitNoMessages(receiveUnknown("100ms"));

        assertThat(scripts() - before).isLessThanOrEqualTo(POPPED + OWN_SCRIPTS);
        assertThat(keys()).isLessThanOrEqualTo(keys);
        assertThat(node.bean(LongPolls.class).waiting()).isZero();
    }

    private static List<CompletableFuture<Reply>> receiveUnknown(String wait) {
        String options = "{\"wait\": \"" + wait + "\"}";
        return IntStream.range(0, POPPED)
                .mapToObj(i -> node.postAsync("/receive", ApiNode.receiving("invented-" + i, options)))
                .toList();
    }

    private static void awaitNoMessages(List<CompletableFuture<Reply>> waiting) {
        assertThat(waiting).allSatisfy(reply -> assertThat(reply.join().text()).isEqualTo("{\"messages\":[]}"));
    }

    @Test
    void settlementsOfARequestShareRoundTrips() {
        node.template()
                .sendAll(IntStream.range(0, SETTLED)
                        .mapToObj(i -> DelayMessage.to("first").payload("x").build())
                        .toList());
        JsonNode received = node.receive("first", "{\"count\": " + SETTLED + ", \"wait\": \"20s\"}")
                .json()
                .path("messages");
        assertThat(received).hasSize(SETTLED);
        long before = scripts();

        Reply settled = node.settleAll(received, "acknowledge");

        assertThat(scripts() - before).isLessThanOrEqualTo(2 + OWN_SCRIPTS);
        assertThat(settled.json().path("results"))
                .hasSize(SETTLED)
                .allSatisfy(
                        result -> assertThat(result.path("outcome").asString()).isEqualTo("settled"));
    }

    /** One after another, so that no calls are shared. */
    @Test
    void jobsCostFewScripts() {
        assertThat(scriptsOf(id -> job("push", id)))
                .as("index, send, index")
                .isLessThanOrEqualTo(3 * MANY + OWN_SCRIPTS);
        await().until(() ->
                node.template().find("first", "job-" + (MANY - 1)).orElseThrow().state() == MessageState.READY);
        assertThat(scriptsOf(id -> job("pop", id))).as("claim, index").isLessThanOrEqualTo(2 * MANY + OWN_SCRIPTS);
        assertThat(scriptsOf(id -> job("finish", id)))
                .as("index, cancel, index")
                .isLessThanOrEqualTo(3 * MANY + OWN_SCRIPTS);
        assertThat(node.template().find("first", "job-0")).isEmpty();
    }

    private void job(String verb, String id) {
        Reply reply = exchange(
                "POST",
                "/q/" + verb,
                "{\"topic\": \"first\", \"id\": \"" + id + "\", \"delay\": 1, \"ttr\": 60}",
                ApiNode.TOKEN);
        assertThat(reply.text()).contains("\"code\":0").matches(text -> !verb.equals("pop") || text.contains("\"id\""));
    }

    @Test
    void messagesCostOneScriptPerRequest() {
        List<String> receipts = new ArrayList<>();

        assertThat(scriptsOf(id -> node.send("first", "{\"payload\": 1}"))).isLessThanOrEqualTo(MANY + OWN_SCRIPTS);
        assertThat(scriptsOf(id -> receipts.add(node.receive("first", "{\"wait\": \"20s\"}")
                        .json()
                        .path("messages")
                        .path(0)
                        .path("receipt")
                        .asString())))
                .isLessThanOrEqualTo(MANY + OWN_SCRIPTS);
        assertThat(scriptsOf(id -> assertThat(node.post("/leases/" + receipts.remove(0) + "/acknowledge", "")
                                .status())
                        .isEqualTo(204)))
                .isLessThanOrEqualTo(MANY + OWN_SCRIPTS);
    }

    private long scriptsOf(Consumer<String> request) {
        long before = scripts();
        for (int i = 0; i < MANY; i++) {
            request.accept("job-" + i);
        }
        return scripts() - before;
    }

    @Test
    void clientsCreateTopicsUpToTheMaximum() {
        List<Reply> sent = new ArrayList<>();
        for (int i = 0; i < MAX_TOPICS + 3; i++) {
            sent.add(node.send("made-" + i, "{\"payload\": 1, \"delay\": \"1h\"}"));
        }
        assertThat(topics()).isEqualTo(MAX_TOPICS);
        long keys = keys();

        Reply rejected = node.send("one-more", "{\"payload\": 1}", IdempotencyKey.HEADER, "k");
        Reply batch = node.post("/topics/one-more/messages/batch", "{\"messages\": [{\"payload\": 1}]}");
        Reply schedule = node.put("/topics/one-more/schedules/a", "{\"every\": \"1h\", \"payload\": 1}");
        Reply push = exchange(
                "POST", "/q/push", "{\"topic\": \"%\", \"id\": \"%\", \"delay\": 1, \"ttr\": 1}", ApiNode.TOKEN);

        assertThat(sent.get(0).status()).isEqualTo(201);
        assertThat(sent.get(MAX_TOPICS + 2).status()).isEqualTo(403);
        assertThat(rejected.status()).isEqualTo(403);
        assertThat(rejected.problem()).isEqualTo("forbidden");
        assertThat(rejected.detail())
                .isEqualTo("Topic 'one-more' was not created, because the limit of 20 topics is reached"
                        + " (delayqueue.http.max-topics). Delete unused topics, or raise the limit.");
        assertThat(batch.status()).isEqualTo(403);
        assertThat(schedule.status()).isEqualTo(403);
        assertThat(push.text()).contains("\"code\":1").contains("delayqueue.http.max-topics");
        assertThat(keys()).isLessThanOrEqualTo(keys);
        assertThat(topics()).isEqualTo(MAX_TOPICS);

        assertThat(node.send("made-0", "{\"payload\": 2, \"delay\": \"1h\"}").status())
                .isEqualTo(201);
        node.template().send("of-java", "p");
        assertThat(topics()).isEqualTo(MAX_TOPICS + 1);
    }
}
