package io.delayqueue.web.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** The paths of the interface, and its access control. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CompatInterfaceTests {

    private static final String PRODUCE = "produce-0123456789";
    private static final String CONSUME = "consume-0123456789";
    private static final String ALL = "produce-and-consume-0123456789";
    private static final String ORDERS = "the-token-of-the-orders";

    private CompatNode node;

    @BeforeAll
    void start() {
        node = CompatNode.start(
                "tomcat",
                "",
                "delayqueue.http.clients.producer.tokens=" + PRODUCE,
                "delayqueue.http.clients.producer.permissions=produce",
                "delayqueue.http.clients.consumer.tokens=" + CONSUME,
                "delayqueue.http.clients.consumer.permissions=consume",
                "delayqueue.http.clients.all.tokens=" + ALL,
                "delayqueue.http.clients.all.permissions=produce,consume",
                "delayqueue.http.clients.orders.tokens=" + ORDERS,
                "delayqueue.http.clients.orders.permissions=produce,consume",
                "delayqueue.http.clients.orders.topics=order-*",
                "delayqueue.http.compat.max-wait=50s",
                "delayqueue.http.compat.max-attempts=2",
                "delayqueue.http.compat.content-type=application/json");
    }

    @AfterAll
    void stop() {
        node.close();
    }

    @Test
    void applicationKeepsItsPagesWithoutABasePath() {
        assertThat(node.exchange("GET", "/own", "").body()).isEqualTo("own page");
        assertThat(node.exchange("GET", "/push/own", "").body()).isEqualTo("own page");
        assertThat(node.exchange("GET", "/nothing", "").statusCode()).isEqualTo(404);

        String push = "{\"topic\":\"t\",\"id\":\"p1\",\"delay\":3600,\"ttr\":1}";
        assertThat(node.exchange("POST", "/push", push).statusCode()).isEqualTo(401);
        HttpResponse<String> rejected = with(CONSUME, "/push", push);
        assertThat(rejected.statusCode()).isEqualTo(403);
        assertThat(rejected.body())
                .startsWith(
                        "{\"code\":1,\"message\":\"添加失败: Client 'consumer' lacks the required permission: produce or admin.");
        HttpResponse<String> pushed = with(PRODUCE, "/push", push);
        assertThat(pushed.body()).contains("添加成功");
        assertThat(pushed.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/json"));
        assertThat(with(PRODUCE, "/pop", "{\"topic\":\"t\"}").statusCode()).isEqualTo(403);
        assertThat(with(PRODUCE, "/finish", "{\"id\":\"p1\"}").statusCode()).isEqualTo(403);
        assertThat(with(PRODUCE, "/get", "{\"id\":\"p1\"}").body()).contains("\"topic\":\"t\"");
        assertThat(with(CONSUME, "/get", "{\"id\":\"p1\"}").body()).contains("\"topic\":\"t\"");
        assertThat(with(CONSUME, "/finish", "{\"id\":\"p1\"}").body()).isEqualTo(CompatContract.NOTHING);
    }

    private static final String NO_ACCESS = "Client 'orders' has no access to topic 'refund'. Use a topic that"
            + " delayqueue.http.clients.orders.topics permits, or add this one.";

    /** Does not name the topic. */
    private static final String IN_OTHER_TOPIC =
            "A message with this id is in a topic to which client 'orders' has no access."
                    + " Use another id, or permit the topic in delayqueue.http.clients.orders.topics.";

    @Test
    void clientHasAccessToItsTopicsOnly() {
        String foreign = "{\"topic\":\"refund\",\"id\":\"1\",\"delay\":3600,\"ttr\":60,\"body\":\"x\"}";
        String own = foreign.replace("refund", "order-1");
        assertForbidden(with(ORDERS, "/push", foreign), NO_ACCESS);
        assertThat(with(ORDERS, "/get", "{\"id\":\"1\"}").body()).isEqualTo(CompatContract.NOTHING);
        assertThat(with(ALL, "/push", foreign).body()).contains("添加成功");

        assertForbidden(with(ORDERS, "/push", own), IN_OTHER_TOPIC);
        assertForbidden(with(ORDERS, "/get", "{\"id\":\"1\"}"), IN_OTHER_TOPIC);
        assertForbidden(with(ORDERS, "/delete", "{\"id\":\"1\"}"), IN_OTHER_TOPIC);
        assertForbidden(with(ORDERS, "/finish", "{\"id\":\"1\"}"), IN_OTHER_TOPIC);
        assertForbidden(with(ORDERS, "/pop", "{\"topic\":\"order-1,refund\"}"), NO_ACCESS);
        assertThat(node.template().find("refund", "1")).isPresent();
        assertThat(node.template().find("order-1", "1")).isEmpty();

        assertThat(with(ORDERS, "/push", own.replace("\"1\"", "\"2\"").replace("3600", "1"))
                        .body())
                .contains("添加成功");
        assertThat(with(ORDERS, "/get", "{\"id\":\"2\"}").body()).contains("\"topic\":\"order-1\"");
        assertThat(with(ORDERS, "/pop", "{\"topic\":\"order-0,order-1\"}").body())
                .isEqualTo(CompatContract.job("2", "x"));
        assertThat(with(ORDERS, "/finish", "{\"id\":\"2\"}").body()).isEqualTo(CompatContract.NOTHING);
        assertThat(node.template().find("order-1", "2")).isEmpty();
    }

    private static void assertForbidden(HttpResponse<String> response, String sentence) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(403);
        assertThat(response.body()).startsWith("{\"code\":1,\"message\":\"").contains("失败: " + sentence);
    }

    private HttpResponse<String> with(String token, String path, String body) {
        return node.exchange("POST", path, body, "Authorization", "Bearer " + token);
    }

    @Test
    void jobHasTheMaximumAttempts() {
        assertThat(with(ALL, "/push", "{\"topic\":\"cap\",\"id\":\"c1\",\"delay\":3600,\"ttr\":1}")
                        .body())
                .contains("添加成功");

        assertThat(node.template().find("cap", "c1"))
                .hasValueSatisfying(
                        job -> assertThat(job.envelope().limits().maxAttempts()).isEqualTo(2));
    }
}
