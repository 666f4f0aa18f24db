package io.delayqueue.actuate.dashboard;

import static io.delayqueue.actuate.dashboard.DashboardApplication.INVOICES;
import static io.delayqueue.actuate.dashboard.DashboardApplication.LONELY;
import static io.delayqueue.actuate.dashboard.DashboardApplication.MAILS;
import static io.delayqueue.actuate.dashboard.DashboardApplication.PARCELS;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.actuate.dashboard.DashboardApplication.Listeners;
import io.delayqueue.coordination.NodeReport;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;

/** From the overview an operator needs at most three clicks to the cure of a finding, the confirmation included. */
@Tag("long")
@Tag("browser")
@TestPropertySource(properties = "delayqueue.namespace=dashboard-clicks")
class DashboardClicksTests extends DashboardTest {

    private static final int MOST = 3;
    private static final String COUNT_CLICKS = "window.clicks = 0;"
            + " document.addEventListener('click', ({ isTrusted }) => { if (isTrusted) window.clicks++; }, true)";

    @Autowired
    private QueueState state;

    @Autowired
    private Listeners listeners;

    /** Opens the overview, and waits for a finding. */
    private void find(String finding) {
        page.open("").awaitText(finding);
        browser.run(COUNT_CLICKS);
    }

    /** Confirms the last click. */
    private void cure(String fault, String outcome) {
        page.check();
        page.confirm().awaitOutcome(outcome);
        clicked(fault);
    }

    private void clicked(String fault) {
        long clicks = browser.run(Long.class, "return window.clicks");
        System.out.printf("drill: %s, %d clicks%n", fault, clicks);
        assertThat(clicks).as(fault).isBetween(1L, (long) MOST);
    }

    @Test
    void topicThatFailsIsPausedAndResumed() {
        IntStream.range(0, 6).forEach(i -> queue.send(INVOICES, "text"));
        find("0 of 6 attempts succeeded");
        page.press(INVOICES).press("Pause everywhere");
        cure("failing handler", "Topic invoices is paused everywhere.");

        find("paused");
        page.press(INVOICES).press("Resume everywhere");
        cure("forgotten pause", "Topic invoices is resumed everywhere.");
    }

    @Test
    void listenerIsPausedOnTheNodeThatFails() {
        String here = " listener parcels on " + NodeReport.thisHost();
        find("Listeners");
        page.field("[aria-label='Actions for" + here + "']").click();
        page.press("Pause on this node" + here);
        cure("one bad node", "Listener parcels is paused on ");

        find("paused");
        page.press("Resume" + here);
        cure("forgotten pause of a listener", "Listener parcels is resumed on ");
    }

    @Test
    void deadLettersAreReplayed() {
        listeners.mailsFail = true;
        state.awaitDead(MAILS, queue.send(MAILS, "text").id());
        find("dead letter");
        page.press(MAILS).press("Replay all").awaitText("This affects 1 dead letter.");
        listeners.mailsFail = false;
        cure("dead letters", "Started: replay 1 dead letter.");
    }

    @Test
    void messagesOfAMistypedTopicAreMoved() {
        queue.send("invoces", "text", Duration.ofHours(1));
        find("No node listens");
        page.press("invoces").press("Move all").awaitText("This affects 1 message.");
        page.field("dialog [name=target]").sendKeys(LONELY);
        cure("mistyped topic", "Started: move 1 message.");
    }

    @Test
    void stackOfAHandlerThatIsStuckIsShown() {
        queue.send(PARCELS, "text");
        find("Listeners");
        page.press("Stack of listener parcels").awaitText("tryAcquire");
        clicked("stuck handler, stack");
        listeners.parcels.release();
    }
}
