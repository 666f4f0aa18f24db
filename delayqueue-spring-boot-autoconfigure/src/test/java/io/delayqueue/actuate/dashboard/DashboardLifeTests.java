package io.delayqueue.actuate.dashboard;

import static io.delayqueue.actuate.dashboard.DashboardApplication.INVOICES;
import static io.delayqueue.actuate.dashboard.DashboardApplication.LONELY;
import static io.delayqueue.actuate.dashboard.DashboardApplication.MAILS;
import static io.delayqueue.actuate.dashboard.DashboardPage.topic;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.coordination.Membership;
import io.delayqueue.coordination.NodeReport;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.RedisScripts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;

/** What the page shows of the life of topics and messages: throughput, course, trace; and what it lets a user search. */
@Tag("long")
@Tag("browser")
@TestPropertySource(
        properties = {
            "delayqueue.namespace=dashboard-life",
            "delayqueue.metrics.sample-interval=1s",
            "delayqueue.dashboard.trace-url=https://tracing.example.com/{traceId}/spans",
            "delayqueue.dashboard.runbook-url=https://runbook.example.com/queue"
        })
class DashboardLifeTests extends DashboardTest {

    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

    @Autowired
    private QueueState state;

    @AfterEach
    void consoleHasNoErrors() {
        assertThat(page.consoleMessages()).isEmpty();
    }

    @Test
    void throughputIsShownOfEachTopicAndInAll() {
        IntStream.range(0, 120).forEach(each -> queue.send("lively", "text", Duration.ofHours(1)));

        page.open("");
        await().atMost(Duration.ofSeconds(40))
                .until(() -> browser.is(
                        "return [...document.querySelectorAll('.topics tbody tr')].some((row) => row.textContent.startsWith('lively')"
                                + " && row.querySelectorAll('td')[4].textContent.endsWith('/s'))"));
        assertThat(browser.string("return document.querySelector('.legend').textContent"))
                .contains("/s sent");
        assertThat(browser.texts("return [...document.querySelectorAll('.series')].map((each) => each.classList[1])"))
                .containsExactly("sent", "handled", "failed");
        page.open(topic("lively")).awaitText("Throughput, 10 minutes");
        browser.run("document.querySelector('.timeline').focus()");
        browser.run(
                "document.querySelector('.timeline').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }))");
        page.awaitText(" sent, ");
        assertThat(browser.is("return document.querySelector('.figure .mark-time') !== null"))
                .isTrue();
        assertThat(page.text()).contains("Scheduled at ").doesNotContain("NaN", "undefined");
    }

    @Test
    void topicsAndListenersOfANodeAreShown(@Autowired RedisScripts scripts, @Autowired KeySpace keySpace) {
        queue.send(LONELY, "text", Duration.ofHours(1));
        Membership other = new Membership(
                scripts,
                keySpace,
                "othernode",
                Duration.ofSeconds(5),
                Duration.ofSeconds(11),
                System::nanoTime,
                () -> new NodeReport("shop-7f9c", 7, Instant.EPOCH, List.of(), null),
                () -> {});
        other.addConsumer(Shard.single(LONELY));
        other.run();
        page.open("").awaitText("shop-7f9c · 7").awaitText(MAILS);
        browser.run("const select = document.querySelector('.node-filter'); select.value = 'othernode';"
                + "select.dispatchEvent(new Event('change'))");
        await().untilAsserted(() -> assertThat(rows()).containsExactly(LONELY));
        page.awaitText("No node has listeners.");
        other.leave(Duration.ofSeconds(5));
        page.awaitText(INVOICES);
    }

    @Test
    void messagesAndDeadLettersAreFoundByAHeader() {
        for (String tenant : List.of("acme", "other")) {
            queue.send(DelayMessage.to("tenants")
                    .id("message-" + tenant)
                    .header("tenant", tenant)
                    .payload("text")
                    .delay(Duration.ofHours(1))
                    .build());
            queue.send(DelayMessage.to(MAILS)
                    .id("mail-" + tenant)
                    .header("tenant", tenant)
                    .payload("text")
                    .build());
            state.awaitDead(MAILS, "mail-" + tenant);
        }

        page.open(topic("tenants", "scheduled")).awaitText("message-other");
        page.field("[aria-label='Show only messages with a header']").sendKeys("tenant=acme\n");
        page.awaitText("Searched all 2 messages.");
        assertThat(rows()).containsExactly("message-acme");
        page.open(topic(MAILS, "dead")).awaitText("mail-other");
        page.field("[aria-label='Show only messages with a header']").sendKeys("tenant=other\n");
        page.awaitText("Searched all ").awaitNoText("mail-acme");
        assertThat(rows()).containsExactly("mail-other");
        page.field("[aria-label='Show only messages with a header']").sendKeys("s\n");
        page.awaitText("None of them has this header.");
    }

    @Test
    void courseOfAMessageHasItsAttemptsAndItsTrace() {
        DelayMessage.Builder message =
                DelayMessage.to(MAILS).payload("text").header("traceparent", "00-" + TRACE + "-b7ad6b7169203331-01");
        String deadLetter =
                state.awaitDead(MAILS, queue.send(message.build()).id()).deadLetterId();
        String failing = queue.send(INVOICES, "text").id();
        state.awaitFailed(INVOICES, failing);

        page.open(topic(MAILS, "dead-letter", deadLetter)).awaitText(", for ").awaitText("attempts spent");
        assertThat(browser.texts(
                        "return [...document.querySelectorAll('.course strong')].map((each) => each.textContent)"))
                .containsExactly("Sent", "Due", "Attempt 1", "Dead-lettered");
        assertThat(browser.string("return document.querySelector('.facts a').href"))
                .isEqualTo("https://tracing.example.com/" + TRACE + "/spans");
        page.open(topic(INVOICES, "message", failing)).awaitText("Attempt 2 is due");
        assertThat(browser.texts(
                        "return [...document.querySelectorAll('.course strong')].map((each) => each.textContent)"))
                .containsExactly("Sent", "Attempt 1 failed", "Attempt 2 is due");
    }

    @Test
    void findingLinksToItsChapterAndAReplayIntoAFailingTopicWarns() {
        String deadLetter = "";
        for (int each = 0; each < 8; each++) {
            deadLetter = state.awaitDead(MAILS, queue.send(MAILS, "text").id()).deadLetterId();
        }
        page.open("").awaitText("What to do");
        await().until(() -> browser.texts("return [...document.querySelectorAll('.to-do')].map((each) => each.href)")
                .contains("https://runbook.example.com/queue#failing"));
        page.open(topic(MAILS, "dead-letter", deadLetter)).press("Replay the dead letter of " + id(deadLetter));
        page.awaitText("Replayed messages may fail again.");
        page.press("Go back");
    }

    private static String id(String deadLetter) {
        return deadLetter.substring(0, deadLetter.lastIndexOf('@'));
    }

    /** The first column of the first table. */
    private List<String> rows() {
        return browser.texts("return [...document.querySelectorAll('.topics tbody tr, .messages tbody tr')]"
                + ".map((row) => row.querySelector('a').textContent)");
    }
}
