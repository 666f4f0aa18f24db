package io.delayqueue.sample.demo;

import static io.delayqueue.sample.Shop.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.sample.SampleTest;
import io.delayqueue.sample.Shop;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@SampleTest
class DemoTests {

    @Autowired
    private Shop shop;

    private void press(String demo) {
        shop.post("/demo/" + demo, "").expectStatus().isNoContent();
    }

    @Test
    void orderThatIsRolledBackHasNoMessage() {
        press("rollback");

        assertThat(shop.journal("outbox"))
                .containsExactly(
                        "An order was rolled back after sendAfterCommit: neither the order nor its message exists.");
    }

    @Test
    void failedAttemptOfAListenerWithOnceLeavesNothing() {
        press("once");

        await().until(() -> shop.journal("once").size() > 1);
        assertThat(shop.journal("once"))
                .satisfiesExactly(
                        sent -> assertThat(sent).startsWith("Sent a message"),
                        handled -> assertThat(handled).contains("was rolled back. (attempt 2,"));
    }

    @Test
    @Tag("long")
    @Tag("core")
    void messageOfAKilledProcessIsHandledByTheSurvivor() {
        press("twin");
        shop.post("/demo/twin", "").expectStatus().isEqualTo(409);

        await().until(() -> shop.journal("kill -9").size() > 2);
        assertThat(shop.journal("kill -9"))
                .satisfiesExactly(
                        started -> assertThat(started).startsWith("Started a second process"),
                        killed -> assertThat(killed).startsWith("Killed the process while it handled the message."),
                        handled -> assertThat(handled)
                                .startsWith("This process handled the message of process")
                                .contains("Leases that ended unsettled: 1."));
    }
}
