package io.delayqueue.sample;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.springframework.boot.test.context.TestComponent;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

/** An HTTP client of the shop. */
@TestComponent
@Lazy
public final class Shop {

    private static final ParameterizedTypeReference<Map<String, Object>> OBJECT = new ParameterizedTypeReference<>() {};

    static {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    private final RestTestClient http;

    Shop(RestTestClient http) {
        this.http = http;
    }

    /** Waits for asynchronous changes; a minute only ends a hang. */
    public static ConditionFactory await() {
        return Awaitility.await();
    }

    /** Places an order. */
    public String order(String item) {
        Map<String, Object> order = http.post()
                .uri("/orders")
                .body(Map.of("item", item, "amount", "24.50"))
                .exchange()
                .expectStatus()
                .isCreated()
                .expectBody(OBJECT)
                .returnResult()
                .getResponseBody();
        return (String) order.get("id");
    }

    /** Performs an action on an order. */
    public RestTestClient.ResponseSpec act(String orderId, String what) {
        return http.post().uri("/orders/{id}/{what}", orderId, what).exchange();
    }

    /** Sends a POST request with JSON. */
    public RestTestClient.ResponseSpec post(String address, Object body) {
        return http.post()
                .uri(address)
                .contentType(MediaType.APPLICATION_JSON)
                .body(body)
                .exchange();
    }

    /** Places and pays an order. */
    public String paidOrder(String item) {
        String id = order(item);
        act(id, "pay").expectStatus().isOk();
        return id;
    }

    /** Sends a GET request. */
    public RestTestClient.ResponseSpec get(String address, Object... variables) {
        return http.get().uri(address, variables).exchange();
    }

    public String status(String orderId) {
        return (String) object(get("/orders/{id}", orderId)).get("status");
    }

    /** Sets the behaviour of the merchant. */
    public void merchant(String behaviour) {
        put("/merchant/behaviour", "\"" + behaviour + "\"");
    }

    /** Sets the number of simulated customers. */
    public void crowd(String size) {
        put("/crowd/size", "\"" + size + "\"");
    }

    /** Sets the number of text messages that the provider permits in a second. */
    public void textsPerSecond(int permitted) {
        put("/text-provider/rate", permitted);
    }

    private void put(String address, Object body) {
        http.put()
                .uri(address)
                .contentType(MediaType.APPLICATION_JSON)
                .body(body)
                .exchange()
                .expectStatus()
                .isOk();
    }

    /** The order with its {@code order}, {@code notice} and {@code review}, as on the page. */
    @SuppressWarnings("unchecked")
    public Map<String, Object> line(String orderId, String part) {
        return ((List<Map<String, Map<String, Object>>>) page().get("orders"))
                .stream()
                        .filter(line -> line.get("order").get("id").equals(orderId))
                        .findFirst()
                        .orElseThrow()
                        .get(part);
    }

    /** The journal of an order, as on the page. */
    @SuppressWarnings("unchecked")
    public List<String> journal(String orderId) {
        return ((List<Map<String, Object>>) page().get("journal"))
                .stream()
                        .filter(entry -> entry.get("orderId").equals(orderId))
                        .map(entry -> (String) entry.get("text"))
                        .toList();
    }

    private Map<String, Object> page() {
        return object(get("/page/state"));
    }

    private static Map<String, Object> object(RestTestClient.ResponseSpec response) {
        return response.expectStatus().isOk().expectBody(OBJECT).returnResult().getResponseBody();
    }
}
