package io.delayqueue.actuate.dashboard;

import static io.delayqueue.actuate.dashboard.DashboardApplication.INVOICES;
import static io.delayqueue.actuate.dashboard.DashboardApplication.LONELY;
import static io.delayqueue.actuate.dashboard.DashboardApplication.MAILS;
import static io.delayqueue.actuate.dashboard.DashboardApplication.PARCELS;
import static io.delayqueue.actuate.dashboard.DashboardPage.topic;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.delayqueue.actuate.dashboard.DashboardApplication.Listeners;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.message.MessageState;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.test.DelayQueueHarness;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;

/** Each action is asked about, can be declined, is done, and its outcome is told. */
@DashboardTest
@TestPropertySource(properties = "delayqueue.namespace=dashboard-actions")
class DashboardActionsTests {

    private static final Duration HOUR = Duration.ofHours(1);

    @Autowired
    private DelayQueueOperations queue;

    @Autowired
    private DelayQueueAdmin admin;

    @Autowired
    private DelayQueueInspector inspector;

    @Autowired
    private DelayListenerRegistry registry;

    @Autowired
    private DelayQueueHarness harness;

    @Autowired
    private Listeners listeners;

    @LocalServerPort
    private int port;

    private Browser browser;
    private DashboardPage page;

    @BeforeEach
    void openPage(Browser browser) {
        this.browser = browser;
        page = new DashboardPage(browser, port);
        listeners.mailsFail = true;
        admin.purgeAll(MAILS);
    }

    @AfterEach
    void nothingWentWrongUnseen() {
        assertThat(page.complaints()).isEmpty();
    }

    @Test
    void messageIsCancelled() {
        String id = queue.send(LONELY, "text", HOUR).id();
        page.open(topic(LONELY, "scheduled")).press("Cancel message " + id);
        assertThat(page.question()).contains("Cancel this message?", id, LONELY);
        page.goBack();
        assertThat(queue.find(LONELY, id)).isPresent();

        page.press("Cancel message " + id).confirm().awaitOutcome(id + " is cancelled.");

        assertThat(queue.find(LONELY, id)).isEmpty();
        page.awaitNoText(id + "\n");
    }

    @Test
    void messageIsCancelledWhileItIsHandled() {
        String id = queue.send(PARCELS, "text").id();
        page.open(topic(PARCELS, "leased")).press("Cancel message " + id);
        assertThat(page.question()).contains("the handler that runs is not stopped");
        page.confirm().awaitOutcome(id + " is cancelled; the handler that runs is not stopped.");
        listeners.parcels.release();

        assertThat(queue.find(PARCELS, id)).isEmpty();
    }

    @Test
    void messageRunsNow() {
        String id = queue.send(MAILS, "text", HOUR).id();
        listeners.mailsFail = false;
        page.open(topic(MAILS, "message", id)).press("Run now message " + id);
        assertThat(page.question()).contains("Run this message now?", id);
        page.goBack();
        assertThat(queue.find(MAILS, id))
                .hasValueSatisfying(message -> assertThat(message.state()).isEqualTo(MessageState.SCHEDULED));

        page.press("Run now message " + id).confirm().awaitOutcome(id + " is due now.");

        harness.awaitAcknowledged(MAILS, id);
        page.awaitText("It is gone by now");
    }

    @Test
    void messageIsRescheduledByATimeFromNowOn() {
        String id = queue.send(LONELY, "text", HOUR).id();
        page.open(topic(LONELY, "message", id)).press("Reschedule message " + id);
        page.question();
        page.confirm().awaitText("Give either a time from now on or a date.");
        page.goBack();

        page.press("Reschedule message " + id).question();
        page.field("dialog [name=amount]").sendKeys("2.5");
        page.field("dialog [name=unit]").sendKeys("hours");
        page.confirm().awaitOutcome(id + " is rescheduled.");

        Instant due = queue.find(LONELY, id).orElseThrow().dueAt();
        assertThat(due).isCloseTo(Instant.now().plus(Duration.ofMinutes(150)), within(5, ChronoUnit.MINUTES));
    }

    @Test
    void messageIsRescheduledToADate() {
        String id = queue.send(LONELY, "text", HOUR).id();
        page.open(topic(LONELY, "message", id))
                .press("Reschedule message " + id)
                .question();
        browser.run("arguments[0].value = '2030-01-31T12:30:15'", page.field("dialog [name=date]"));
        page.confirm().awaitOutcome(id + " is rescheduled.");

        assertThat(queue.find(LONELY, id).orElseThrow().dueAt())
                .isEqualTo(LocalDateTime.of(2030, 1, 31, 12, 30, 15)
                        .atZone(ZoneId.systemDefault())
                        .toInstant());
    }

    @Test
    void whatPerhapsHappenedIsToldAsThat() {
        String id = queue.send(LONELY, "text", HOUR).id();
        page.open(topic(LONELY, "scheduled")).press("Run now message " + id).question();
        browser.run("window.fetch = () => Promise.reject(new TypeError('connection lost'))");
        page.confirm().awaitOutcome("What was to be done is perhaps done: look before you repeat it.");
    }

    @Test
    void refusalIsToldInTheEndpointsWords() {
        String id = queue.send(LONELY, "text", HOUR).id();
        page.open(topic(LONELY, "scheduled")).press("Cancel message " + id).question();
        queue.cancel(LONELY, id);
        page.confirm().awaitOutcome("There is no live message '" + id + "'");
    }

    @Test
    void letterIsReplayed() {
        String id = letterOf("one");
        page.open(topic(MAILS, "dead")).press("Replay the letter of " + id);
        assertThat(page.question()).contains("Replay this dead letter?", id);
        page.goBack();
        assertThat(admin.counts(MAILS).dead()).isOne();

        listeners.mailsFail = false;
        page.press("Replay the letter of " + id).confirm().awaitOutcome(id + " is replayed.");

        harness.awaitAcknowledged(MAILS, id);
        page.awaitText("No dead letter.");
    }

    @Test
    void letterIsPurged() {
        String id = letterOf("one");
        page.open(topic(MAILS, "dead"))
                .awaitText("IllegalStateException: no mail to one")
                .press("Purge the letter of " + id);
        assertThat(page.question()).contains("Purge this dead letter?", id);
        page.goBack();
        assertThat(admin.counts(MAILS).dead()).isOne();

        page.press("Purge the letter of " + id).confirm().awaitOutcome("The letter of " + id + " is purged.");

        assertThat(admin.counts(MAILS).dead()).isZero();
    }

    @Test
    void allLettersAreReplayed() {
        letterOf("one");
        letterOf("two");
        page.open(topic(MAILS, "dead")).press("Replay all 2 letters");
        assertThat(page.question()).contains("Replay 2 dead letters?", MAILS);
        page.goBack();
        assertThat(admin.counts(MAILS).dead()).isEqualTo(2);

        listeners.mailsFail = false;
        page.press("Replay all 2 letters").confirm().awaitOutcome("2 dead letters are replayed.");

        harness.awaitEmpty(MAILS);
    }

    @Test
    void allLettersArePurged() {
        letterOf("one");
        letterOf("two");
        page.open(topic(MAILS, "dead")).press("Purge all");
        assertThat(page.question()).contains("Purge 2 dead letters?", "removed for good");
        page.goBack();
        assertThat(admin.counts(MAILS).dead()).isEqualTo(2);

        page.press("Purge all").confirm().awaitOutcome("2 dead letters are purged.");

        assertThat(admin.counts(MAILS).dead()).isZero();
    }

    @Test
    void emptyTopicIsDeleted() {
        queue.cancel("mistyped", queue.send("mistyped", "text", HOUR).id());
        page.open(topic("mistyped")).press("Delete topic");
        assertThat(page.question()).contains("Delete this topic?", "mistyped");
        page.goBack();
        assertThat(inspector.topic("mistyped")).isPresent();

        page.press("Delete topic").confirm().awaitOutcome("Topic mistyped is deleted.");

        assertThat(inspector.topic("mistyped")).isEmpty();
        await().untilAsserted(
                        () -> assertThat(browser.string("return location.hash")).isEqualTo("#/"));
    }

    @Test
    void topicThatHoldsSomethingCannotBeDeleted() {
        queue.send(LONELY, "text", HOUR);
        page.open(topic(LONELY, "scheduled")).awaitPressable("Pause everywhere");

        assertThat(page.has("Delete topic")).isFalse();
    }

    @Test
    void listenerIsPausedHereAndResumed() {
        page.open("").press("Pause listener invoices on this node");
        assertThat(page.question()).contains("Pause this listener here?", "invoices");
        page.goBack();
        assertThat(registry.getContainer("invoices").orElseThrow().isPaused()).isFalse();

        page.press("Pause listener invoices on this node").confirm();
        page.awaitOutcome("Listener invoices is paused here.").awaitText("Listener invoices is paused on this node.");
        assertThat(registry.getContainer("invoices").orElseThrow().isPaused()).isTrue();

        page.press("Resume listener invoices on this node").confirm();
        page.awaitOutcome("Listener invoices is resumed here.");
        assertThat(registry.getContainer("invoices").orElseThrow().isPaused()).isFalse();
    }

    /** As behind a load balancer: what is paused would be that of whichever node comes next. */
    @Test
    void listenerIsNotOfferedWhileSeveralNodesAnswerInTurn() {
        page.open("").awaitPressable("Pause listener invoices on this node");
        browser.run("""
                const real = window.fetch;
                let asked = 0;
                window.fetch = async (...call) => {
                  const answer = await real(...call);
                  if (!/delayqueue(\\?|$)/.test(call[0])) return answer;
                  return Response.json({ ...(await answer.json()), node: `node ${asked++ % 2}` });
                };
                """);
        page.awaitText("Several nodes answer in turn");

        assertThat(page.has("Pause listener invoices on this node")).isFalse();
    }

    @Test
    void topicIsPausedEverywhereAndResumed() {
        page.open(topic(INVOICES)).press("Pause everywhere");
        assertThat(page.question()).contains("Pause this topic everywhere?", INVOICES);
        page.goBack();
        assertThat(inspector.topic(INVOICES).orElseThrow().paused()).isFalse();

        page.press("Pause everywhere").confirm().awaitOutcome("Topic invoices is paused everywhere.");
        assertThat(inspector.topic(INVOICES).orElseThrow().paused()).isTrue();

        page.press("Resume everywhere").confirm().awaitOutcome("Topic invoices is resumed everywhere.");
        assertThat(inspector.topic(INVOICES).orElseThrow().paused()).isFalse();
    }

    @Test
    void messageIsFoundByItsId() {
        String id = queue.send(LONELY, "text", HOUR).id();
        page.open("").awaitPressable(LONELY);
        page.field("#find-topic").sendKeys(LONELY);
        page.field("#find-id").sendKeys(id);
        page.press("Find").awaitPressable("Cancel message " + id).awaitText("scheduled");

        page.field("#find-id").sendKeys("-no");
        page.press("Find").awaitText("There is no live message '" + id + "-no' in topic '" + LONELY + "' now.");
    }

    private String letterOf(String text) {
        String id = queue.send(MAILS, text).id();
        harness.awaitDead(MAILS, id);
        return id;
    }
}
