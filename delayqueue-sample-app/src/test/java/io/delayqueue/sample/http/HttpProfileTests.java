package io.delayqueue.sample.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.sample.ProfilesTest;
import io.delayqueue.sample.Shop;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

/** Requests of clients in other languages to the sample's queue. */
@ProfilesTest
class HttpProfileTests {

    private static final String TOKEN = "Bearer sample-token-of-the-shop";

    @Autowired
    private RestTestClient http;

    @Autowired
    private Shop shop;

    @Test
    void messageSentOverHttpCancelsAnOrder() {
        String order = shop.order("Teapot");

        http.post()
                .uri("/delayqueue/v1/topics/order-cancel/messages")
                .header(HttpHeaders.AUTHORIZATION, TOKEN)
                .contentType(MediaType.APPLICATION_JSON)
                .body(Map.of("payload", Map.of("orderId", order), "delay", "PT0.1S"))
                .exchange()
                .expectStatus()
                .isCreated();

        Shop.await().untilAsserted(() -> assertThat(shop.status(order)).isEqualTo("CANCELLED"));
    }

    @Test
    void pushedJobIsPopped() {
        assertThat(compat("/queue/push", "{'topic':'sms','id':'1','delay':1,'ttr':60,'body':'hello'}"))
                .contains("\"code\":0");

        assertThat(compat("/queue/pop", "{'topic':'sms'}")).contains("\"data\":{\"id\":\"1\",\"body\":\"hello\"}");
        assertThat(compat("/queue/finish", "{'id':'1'}")).contains("\"code\":0");
    }

    @Test
    void requestWithoutATokenIsRejected() {
        http.post().uri("/queue/push").body("{}").exchange().expectStatus().isUnauthorized();
        http.get()
                .uri("/delayqueue/v1/topics/order-cancel/messages/1")
                .exchange()
                .expectStatus()
                .isUnauthorized();
    }

    private String compat(String path, String body) {
        return http.post()
                .uri(path)
                .header(HttpHeaders.AUTHORIZATION, TOKEN)
                .body(body.replace('\'', '"'))
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .returnResult()
                .getResponseBody();
    }
}
