package io.delayqueue.sample.notice;

import static io.delayqueue.sample.Shop.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.sample.SampleTest;
import io.delayqueue.sample.Shop;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@SampleTest
class PaymentNoticeTests {

    @Autowired
    private Shop shop;

    @Test
    void noticeIsRetriedUntilTheMerchantAcceptsIt() {
        shop.merchant("FLAKY");

        String id = shop.paidOrder("Teapot");

        await().untilAsserted(() -> assertThat(attempts(id))
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("The merchant did not accept the notice. (attempt 1,"),
                        second -> assertThat(second).startsWith("The merchant did not accept the notice. (attempt 2,"),
                        third -> assertThat(third).startsWith("The merchant accepted the notice. (attempt 3,")));
        assertThat(status(id)).isEqualTo("ACCEPTED");
    }

    @Test
    void noticeIsDeadLetteredAfterTheLastIntervalAndCanBeReplayed() {
        shop.merchant("DOWN");

        String id = shop.paidOrder("Teapot");
        await().until(() -> status(id).equals("DEAD"));

        assertThat(attempts(id)).hasSize(4);
        assertThat(notice(id).get("failure")).asString().contains("503");

        shop.merchant("UP");
        replay(id, (String) notice(id).get("deadLetterId"), 204);

        await().untilAsserted(() -> assertThat(attempts(id))
                .hasSize(5)
                .last()
                .asString()
                .startsWith("The merchant accepted the notice. (attempt 1,"));
        assertThat(status(id)).isEqualTo("ACCEPTED");
    }

    @Test
    void onlyADeadNoticeCanBeReplayed() {
        shop.merchant("UP");
        String id = shop.paidOrder("Teapot");
        await().until(() -> status(id).equals("ACCEPTED"));

        replay(id, "unknown", 409);
    }

    private void replay(String id, String deadLetterId, int status) {
        shop.post("/orders/" + id + "/notice/replay", Map.of("deadLetterId", deadLetterId))
                .expectStatus()
                .isEqualTo(status);
    }

    private Map<String, Object> notice(String id) {
        return shop.line(id, "notice");
    }

    private String status(String id) {
        return (String) notice(id).get("status");
    }

    private List<String> attempts(String id) {
        return shop.journal(id).stream()
                .filter(text -> text.contains("attempt "))
                .toList();
    }
}
