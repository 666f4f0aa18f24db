package io.delayqueue.sample.order;

import static io.delayqueue.sample.Shop.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.sample.SampleTest;
import io.delayqueue.sample.Shop;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.test.DelayQueueHarness;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@SampleTest
@ExtendWith(OutputCaptureExtension.class)
class UnpaidOrderTests {

    @Autowired
    private Shop shop;

    @Autowired
    private DelayQueueOperations delayQueue;

    @Autowired
    private DelayQueueHarness queue;

    /** Places an order whose payment window ends now. */
    private String unpaidOrder() {
        String id = shop.order("Teapot");
        queue.makeDue(UnpaidOrders.TOPIC, id);
        return id;
    }

    @Test
    void orderIsCancelledAfterItsPaymentWindow() {
        String id = unpaidOrder();

        await().until(() -> shop.status(id).equals("CANCELLED"));

        assertThat(shop.journal(id)).hasSize(2).last().asString().startsWith("Cancelled: not paid in time.");
        await().until(() -> delayQueue.find(UnpaidOrders.TOPIC, id).isEmpty());
    }

    @Test
    void cancellationContinuesTheTraceOfTheOrder(CapturedOutput output) {
        String id = unpaidOrder();

        await().until(() -> output.getOut().contains("Order " + id + " is cancelled"));

        assertThat(traceOf("Order " + id + " waits", output))
                .isNotEmpty()
                .isEqualTo(traceOf("Order " + id + " is cancelled", output));
    }

    /** The trace and the span in the log, separated by a dash. */
    private static String traceOf(String message, CapturedOutput output) {
        return output.getOut()
                .lines()
                .filter(line -> line.contains(message))
                .map(Pattern.compile("\\[([0-9a-f]{32})-[0-9a-f]{16}]")::matcher)
                .filter(Matcher::find)
                .map(found -> found.group(1))
                .findFirst()
                .orElse("");
    }

    @Test
    void cancelledOrderCannotBePaid() {
        String id = unpaidOrder();
        await().until(() -> shop.status(id).equals("CANCELLED"));

        shop.act(id, "pay")
                .expectStatus()
                .isEqualTo(409)
                .expectBody()
                .jsonPath("$.detail")
                .isEqualTo("Order " + id + " was cancelled because it was not paid in time.");
    }
}
