package io.delayqueue.actuate.dashboard;

import static io.delayqueue.actuate.dashboard.DashboardApplication.HOSTILE;
import static io.delayqueue.actuate.dashboard.DashboardApplication.INVOICES;
import static io.delayqueue.actuate.dashboard.DashboardApplication.MAILS;
import static io.delayqueue.actuate.dashboard.DashboardPage.topic;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;

/** All data of the queue is shown as text: topics, ids, headers, payloads and failures. */
@Tag("long")
@Tag("browser")
@TestPropertySource(properties = "delayqueue.namespace=dashboard-hostile")
class HostileTextTests extends DashboardTest {

    private static final String SCRIPT = "\"'><script>window.hurt=1</script>";

    @Autowired
    private QueueState state;

    @AfterEach
    void nothingWasMarkup() {
        assertThat(browser.run(Object.class, "return window.hurt")).isNull();
        assertThat(browser.run(Long.class, "return document.querySelectorAll('img, iframe, script:not([src])').length"))
                .isZero();
        assertThat(browser.run(Long.class, "return document.querySelectorAll('[style], [onerror]').length"))
                .isZero();
        assertThat(page.consoleMessages()).isEmpty();
    }

    @Test
    void topicIsText() {
        send(HOSTILE + "2", "hostile-topic");
        page.open("").awaitText(HOSTILE + "2").awaitText("Is the name misspelled?");
        page.press(HOSTILE + "2").press("Pause everywhere");
        assertThat(page.check()).contains(HOSTILE + "2");
        page.goBack();
        assertThat(browser.driver().getTitle()).startsWith(HOSTILE + "2");
    }

    @Test
    void idHeadersAndPayloadAreText() {
        send("texts", SCRIPT);
        page.open(topic("texts", "scheduled")).awaitText(SCRIPT).awaitText("{\"" + HOSTILE.replace("\"", "\\\""));
        page.press("Cancel message " + SCRIPT);
        assertThat(page.check()).contains(SCRIPT);
        page.goBack().press(SCRIPT).awaitText(HOSTILE + "=").awaitText(SCRIPT + "\n");
        assertThat(page.text()).contains("Headers", "Payload");
        page.press("Cancel message " + SCRIPT).confirm().awaitOutcome(SCRIPT + " is cancelled.");
    }

    @Test
    void invisibleCharactersOfATopicAreShown() {
        send("orders", "seen");
        send("orders ", "unseen");
        page.open("").awaitText("orders␣");
    }

    @Test
    void deadLetterOfAHostileTopicIsText() {
        String id = HOSTILE + "-dead-letter";
        queue.send(DelayMessage.to(HOSTILE)
                .id(id)
                .payload(HOSTILE)
                .header(HOSTILE, SCRIPT)
                .build());
        DeadLetter deadLetter = state.awaitDead(HOSTILE, id);

        page.open(topic(HOSTILE, "dead")).awaitText(id).awaitText("IllegalStateException: " + HOSTILE);
        page.press("Purge the dead letter of " + id);
        assertThat(page.check()).contains(id, HOSTILE);
        page.goBack()
                .press(id)
                .awaitText(deadLetter.deadLetterId())
                .awaitText("Stack")
                .awaitText(SCRIPT);
    }

    @Test
    void directionCharactersAreShown() {
        String turned = "\u202eretsnom\u2069";
        DeadLetter deadLetter = state.awaitDead(MAILS, queue.send(MAILS, turned).id());

        page.open(topic(MAILS, "dead")).awaitText("IllegalStateException: no mail to ␣retsnom␣");
        assertThat(page.text()).contains("␣retsnom␣\n").doesNotContain("\u202e", "\u2069");
        page.press(deadLetter.messageId()).awaitText("IllegalStateException: no mail to ␣retsnom␣");
        page.open(topic(INVOICES, "message", turned))
                .awaitText("There is no live message '\\u202eretsnom\\u2069' in topic 'invoices'.");
        assertThat(page.text()).doesNotContain("\u202e", "\u2069");
    }

    @Test
    void failureOfAMessageIsText() {
        String id = queue.send(INVOICES, SCRIPT).id();
        state.awaitFailed(INVOICES, id);

        page.open(topic(INVOICES, "failing"))
                .awaitText("IllegalStateException: no invoice: " + HOSTILE)
                .awaitText("Searched all");
    }

    private void send(String topic, String id) {
        queue.send(DelayMessage.to(topic)
                .id(id)
                .payload("{\"" + HOSTILE.replace("\"", "\\\"") + "\":1}")
                .header(HOSTILE + "=", SCRIPT)
                .delay(Duration.ofHours(1))
                .build());
    }
}
