package io.delayqueue.actuate.dashboard;

import static io.delayqueue.actuate.dashboard.DashboardApplication.INVOICES;
import static io.delayqueue.actuate.dashboard.DashboardApplication.LONELY;
import static io.delayqueue.actuate.dashboard.DashboardApplication.MAILS;
import static io.delayqueue.actuate.dashboard.DashboardApplication.PARCELS;
import static io.delayqueue.actuate.dashboard.DashboardPage.topic;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.delayqueue.actuate.dashboard.DashboardApplication.Listeners;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.coordination.NodeReport;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.template.receive.DefaultDelayQueueReceiver;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.template.receive.ReceiveRequest;
import io.delayqueue.testing.SystemClock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.test.context.TestPropertySource;

/** Each action is confirmed or declined, and its outcome is shown. */
@Tag("long")
@Tag("browser")
@TestPropertySource(properties = "delayqueue.namespace=dashboard-actions")
class DashboardActionsTests extends DashboardTest {

    private static final Duration HOUR = Duration.ofHours(1);

    @Autowired
    private DelayQueueAdmin admin;

    @Autowired
    private DelayQueueInspector inspector;

    @Autowired
    private DelayListenerRegistry registry;

    @Autowired
    private QueueState state;

    @Autowired
    private DelayQueueReceiver receiver;

    @Autowired
    private TopicSampler sampler;

    @Autowired
    private KeySpace keys;

    @Autowired
    private RedisConnectionFactory connections;

    @Autowired
    private Listeners listeners;

    @BeforeEach
    void failMails() {
        listeners.mailsFail = true;
        admin.deadLetters(MAILS, DelayQueueAdmin.MAX_PAGE)
                .deadLetters()
                .forEach(deadLetter -> admin.purge(MAILS, deadLetter.deadLetterId()));
    }

    @AfterEach
    void consoleHasNoErrors() {
        assertThat(page.consoleMessages()).isEmpty();
    }

    @Test
    void messageIsCancelledWhileItIsHandled() {
        String id = queue.send(PARCELS, "text").id();
        page.open(topic(PARCELS, "leased")).press("Cancel message " + id);
        assertThat(page.check()).contains("A running handler is not stopped");
        page.confirm().awaitOutcome(id + " is cancelled. The running handler is not stopped.");
        listeners.parcels.release();

        assertThat(queue.find(PARCELS, id)).isEmpty();
    }

    @Test
    void messageIsCancelled() {
        String id = queue.send(LONELY, "text", HOUR).id();
        page.open(topic(LONELY, "scheduled")).press("Cancel message " + id);
        assertThat(page.check()).contains("Cancel this message?", id, LONELY);
        page.goBack();
        assertThat(page.has("Delete topic")).isFalse();
        assertThat(queue.find(LONELY, id)).isPresent();

        page.press("Cancel message " + id).confirm().awaitOutcome(id + " is cancelled.");
        assertThat(queue.find(LONELY, id)).isEmpty();
        page.awaitNoText(id + "\n");
    }

    @Test
    void messageRunsNow() {
        String id = queue.send(MAILS, "text", HOUR).id();
        listeners.mailsFail = false;
        page.open(topic(MAILS, "message", id)).press("Run now message " + id);
        assertThat(page.check()).contains("Run this message now?", id);
        page.goBack();
        assertThat(queue.find(MAILS, id))
                .hasValueSatisfying(message -> assertThat(message.state()).isEqualTo(MessageState.SCHEDULED));

        page.press("Run now message " + id).confirm().awaitOutcome(id + " is due now.");

        state.awaitAcknowledged(MAILS, id);
        page.awaitText("It no longer exists");
    }

    @Test
    void messageIsRescheduledByADelay() {
        String id = queue.send(LONELY, "text", HOUR).id();
        page.open(topic(LONELY, "message", id)).press("Reschedule message " + id);
        page.check();
        page.confirm().awaitText("Enter either a time from now or a date.");
        page.goBack();

        page.press("Reschedule message " + id).check();
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
                .check();
        browser.run("arguments[0].value = '2030-01-31T12:30:15'", page.field("dialog [name=date]"));
        page.confirm().awaitOutcome(id + " is rescheduled.");

        assertThat(queue.find(LONELY, id).orElseThrow().dueAt())
                .isEqualTo(LocalDateTime.of(2030, 1, 31, 12, 30, 15)
                        .atZone(ZoneId.systemDefault())
                        .toInstant());
    }

    @Test
    void unknownOutcomeIsShown() {
        String id = queue.send(LONELY, "text", HOUR).id();
        page.open(topic(LONELY, "scheduled")).press("Run now message " + id).check();
        browser.run("window.fetch = () => Promise.reject(new TypeError('connection lost'))");
        page.confirm()
                .awaitOutcome("It is unknown whether the action was performed. Check the state before you repeat it.");
    }

    @Test
    void rejectionShowsTheMessageOfTheEndpoint() {
        String id = queue.send(LONELY, "text", HOUR).id();
        page.open(topic(LONELY, "scheduled")).press("Cancel message " + id).check();
        queue.cancel(LONELY, id);
        page.confirm().awaitOutcome("There is no live message '" + id + "'");
    }

    @Test
    void topicIsLimitedAndCleared() {
        queue.send(LONELY, "text");
        page.open(topic(LONELY, "ready")).press("Limit …");
        assertThat(page.check()).contains("Limit this topic?", LONELY);
        page.field("dialog [name=maxConcurrent]").sendKeys("3");
        page.field("dialog [name=rate]").sendKeys("often");
        page.confirm().awaitOutcome("The parameter 'rate' must be a count and a period, such as 100/1m");

        page.press("Limit …").check();
        page.field("dialog [name=maxConcurrent]").sendKeys("3");
        page.field("dialog [name=rate]").sendKeys("100/1m");
        page.confirm().awaitOutcome("The limits of topic " + LONELY + " are set.");
        page.awaitText("at most 3 at a time, 100/min").awaitText("0 of 3 places used");
        assertThat(admin.limits(LONELY).effective()).isEqualTo(TopicLimits.of(3, null, "100/1m", null, null));

        page.press("Clear limits").confirm().awaitOutcome("The limits of topic " + LONELY + " are cleared.");
        page.awaitNoText("places used");
        assertThat(admin.limits(LONELY).effective()).isEqualTo(TopicLimits.NONE);
    }

    @Test
    void deadLetterIsReplayed() {
        String id = deadLetterOf("one");
        listeners.mailsFail = false;
        page.open(topic(MAILS, "dead")).press("Replay the dead letter of " + id);
        assertThat(page.check()).contains("Replay this dead letter?", id);
        page.confirm().awaitOutcome(id + " is replayed.");

        state.awaitAcknowledged(MAILS, id);
    }

    @Test
    void deadLetterIsPurged() {
        String id = deadLetterOf("one");
        page.open(topic(MAILS, "dead"))
                .awaitText("IllegalStateException: no mail to one")
                .press("Purge the dead letter of " + id);
        assertThat(page.check()).contains("Purge this dead letter?", id);
        page.goBack();
        assertThat(admin.counts(MAILS).dead()).isOne();

        page.press("Purge the dead letter of " + id).confirm().awaitOutcome("The dead letter of " + id + " is purged.");

        assertThat(admin.counts(MAILS).dead()).isZero();
    }

    @Test
    void allDeadLettersAreReplayed() {
        deadLetterOf("one");
        deadLetterOf("two");
        page.open(topic(MAILS, "dead")).press("Replay all");
        assertThat(page.check()).contains("Replay dead letters?", MAILS);
        page.awaitText("This affects 2 dead letters.").goBack();
        assertThat(admin.counts(MAILS).dead()).isEqualTo(2);

        listeners.mailsFail = false;
        page.press("Replay all").awaitText("This affects 2 dead letters.");
        page.confirm().awaitOutcome("Started: replay 2 dead letters.");

        page.awaitText("2 of 2").awaitText("finished");
        state.awaitEmpty(MAILS);
    }

    @Test
    void deadLettersOfAKindArePurged() {
        deadLetterOf("one");
        deadLetterOf("two");
        String kind = "the dead letters of kind ATTEMPTS_SPENT java.lang.IllegalStateException no mail to one";
        page.open(topic(MAILS, "dead")).press("Purge " + kind);
        assertThat(page.check()).contains("Purge dead letters?", "removed permanently", "no mail to one");
        page.awaitText("This affects 1 dead letter.");

        page.confirm().awaitOutcome("Started: purge 1 dead letter.");

        await().until(() -> admin.counts(MAILS).dead() == 1);
    }

    @Test
    void deadLettersOfATimeRangeAreCountedBeforeTheyArePurged() {
        deadLetterOf("one");
        page.open(topic(MAILS, "dead")).press("Purge all").awaitText("This affects 1 dead letter.");
        browser.run("arguments[0].value = '2030-01-31T12:30:15'", page.field("dialog [name=from]"));
        page.confirm().awaitText("This affects no dead letter.");
        assertThat(admin.counts(MAILS).dead()).isOne();
        page.goBack();
    }

    @Test
    void deadLettersAreReviewed() {
        deadLetterOf("one");
        page.open(topic(MAILS, "dead"))
                .awaitText("It has 1 dead letter.")
                .press("Mark as reviewed")
                .confirm()
                .awaitOutcome("The dead letters of topic mails are reviewed.");

        assertThat(admin.counts(MAILS).unreviewed()).isZero();
        await().until(() -> !page.has("Mark as reviewed"));
        assertThat(page.has("Replay all")).isTrue();
    }

    @Test
    void messagesOfAMistypedTopicAreMoved() {
        String id = queue.send("misspelled", "text", HOUR).id();
        page.open(topic("misspelled", "scheduled")).press("Move all");
        page.check();
        page.awaitText("This affects 1 message.").confirm().awaitText("Enter the topic to move to.");
        page.field("dialog [name=target]").sendKeys(LONELY);

        page.confirm().awaitOutcome("Started: move 1 message.");

        // the target stores it before the source removes it
        await().until(() -> queue.find("misspelled", id).isEmpty());
        assertThat(queue.find(LONELY, id)).isPresent();
    }

    @Test
    void scheduledPauseIsStopped() {
        page.open(topic(INVOICES)).press("Pause at …").check();
        browser.run("arguments[0].value = '2030-01-31T12:30:15'", page.field("dialog [name=startAt]"));
        page.confirm().awaitOutcome("Topic invoices will be paused.");

        page.press("Stop the job pause of topic invoices").confirm().awaitOutcome("The job is stopped.");

        page.awaitText("stopped");
        assertThat(inspector.topic(INVOICES).orElseThrow().paused()).isFalse();
    }

    @Test
    void emptyTopicIsDeleted() {
        queue.cancel("mistyped", queue.send("mistyped", "text", HOUR).id());
        page.open(topic("mistyped")).press("Delete topic");
        assertThat(page.check()).contains("Delete this topic?", "mistyped");
        page.goBack();
        assertThat(inspector.topic("mistyped")).isPresent();

        page.press("Delete topic").confirm().awaitOutcome("Topic mistyped is deleted.");

        assertThat(inspector.topic("mistyped")).isEmpty();
        await().untilAsserted(
                        () -> assertThat(browser.string("return location.hash")).isEqualTo("#/"));
    }

    @Test
    void listenerIsPausedOnANodeAndResumed() {
        ManagedListener invoices = registry.getContainer("invoices").orElseThrow();
        String button = "Pause on this node listener invoices on " + NodeReport.thisHost();
        page.open("").press(button);
        assertThat(page.check()).contains("Pause this listener on one node?", "invoices", "a restart ends this pause");
        page.goBack();
        assertThat(invoices.pauses()).isEmpty();

        page.press(button).confirm();
        page.awaitOutcome("Listener invoices is paused on " + NodeReport.thisHost())
                .awaitText("Listener invoices is paused on " + NodeReport.thisHost() + ", for ");
        await().untilAsserted(() -> assertThat(invoices.pauses()).hasSize(1));

        page.press("Resume listener invoices on " + NodeReport.thisHost()).confirm();
        page.awaitOutcome("Listener invoices is resumed on " + NodeReport.thisHost());
        await().untilAsserted(() -> assertThat(invoices.pauses()).isEmpty());
    }

    /** The page shows the report of another process, and this process has given the lease. */
    @Test
    void leasesOfAClientAreReleased() {
        String id = queue.send(LONELY, "text").id();
        List<LeasedDelivery> leased =
                receiver.receive(ReceiveRequest.from(LONELY).waitTime(HOUR).lease(HOUR));
        DefaultDelayQueueReceiver.heldBy("importer", leased);
        byte[] report = (SystemClock.millis() + "\ntopic=" + LONELY + "&client=importer&leases=1&oldest=400000&id="
                        + id)
                .getBytes(UTF_8);
        try (RedisConnection redis = connections.getConnection()) {
            redis.hashCommands().hSet(keys.throughput(), "other".getBytes(UTF_8), report);
        }
        sampler.wake();

        page.open("")
                .awaitText("HTTP client importer holds a lease for much longer than usual")
                .press("Release the leases of importer");
        assertThat(page.check()).contains("Release these leases?", LONELY, "importer", "do not count");
        page.confirm().awaitOutcome("The leases of HTTP client importer are released within 10 s.");

        await().untilAsserted(() -> assertThat(queue.find(LONELY, id))
                .hasValueSatisfying(message -> assertThat(message.state()).isEqualTo(MessageState.READY)));
        page.open(topic(LONELY)).awaitText("Leases of receivers");
        queue.cancel(LONELY, id);
        try (RedisConnection redis = connections.getConnection()) {
            redis.keyCommands().del(keys.throughput());
        }
        sampler.wake();
    }

    @Test
    void listenerIsPausedOnAllNodesAndTheTopicListsIt() {
        ManagedListener invoices = registry.getContainer("invoices").orElseThrow();
        page.open("").press("Pause on all nodes listener invoices").confirm();
        page.awaitOutcome("Listener invoices is paused on all nodes.");
        await().untilAsserted(() -> assertThat(invoices.pauses()).hasSize(1));

        page.open(topic(INVOICES))
                .press("Resume the pause of listener invoices")
                .confirm();
        page.awaitOutcome("Listener invoices is resumed on all nodes.");
        await().untilAsserted(() -> assertThat(invoices.pauses()).isEmpty());
        await().untilAsserted(() ->
                assertThat(page.has("Resume the pause of listener invoices")).isFalse());
    }

    @Test
    void topicIsPausedOnAllNodesAndResumed() {
        page.open(topic(INVOICES)).press("Pause everywhere");
        assertThat(page.check()).contains("Pause this topic everywhere?", INVOICES);
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
        page.press("Find").awaitText("There is no live message '" + id + "-no' in topic '" + LONELY + "'.");
    }

    @Test
    void messageIsFoundInAllTopics() {
        String id = queue.send(LONELY, "text", HOUR).id();
        page.open("").awaitPressable(LONELY);
        page.field("#find-id").sendKeys(id);
        page.press("Find").awaitText("scheduled").press(LONELY);
        page.awaitPressable("Cancel message " + id);

        page.open("#/find/nowhere").awaitText("There is no live message with this id in any topic.");
    }

    private String deadLetterOf(String text) {
        String id = queue.send(MAILS, text).id();
        state.awaitDead(MAILS, id);
        return id;
    }
}
