package io.delayqueue.actuate.dashboard;

import static io.delayqueue.actuate.dashboard.DashboardApplication.MAILS;
import static io.delayqueue.actuate.dashboard.DashboardPage.topic;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.HandlerForecast;
import io.delayqueue.admin.HandlerForecasts;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Schedule;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.template.DelayQueueSchedules;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.template.receive.ReceiveRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.test.context.TestPropertySource;

/** Lists, counts, charts and navigation. */
@Tag("long")
@Tag("browser")
@TestPropertySource(
        properties = {
            "delayqueue.namespace=dashboard-lists",
            "delayqueue.topics[accounts].keys=ordered",
            "delayqueue.topics[payments].keys=ordered"
        })
class DashboardListsTests extends DashboardTest {

    private static final ReceiveRequest PAYMENTS =
            ReceiveRequest.from("payments").lease(Duration.ofHours(1));
    private static final String LET_PASS = "Let others pass message head";

    @Autowired
    private DelayQueueAdmin admin;

    @Autowired
    private DelayQueueReceiver receiver;

    @Autowired
    private DelayQueueSchedules schedules;

    @AfterEach
    void consoleHasNoErrors() {
        assertThat(page.consoleMessages()).isEmpty();
    }

    @Test
    void messagesArePagedInTheOrderOfTheirDueTimes() {
        queue.sendAll(IntStream.range(0, 60)
                .mapToObj(each -> DelayMessage.to("pages")
                        .id("message-" + each)
                        .payload("text")
                        .delay(Duration.ofHours(1).plusMinutes(each))
                        .build())
                .toList());

        page.open(topic("pages", "scheduled")).awaitText("message-24");
        assertThat(rows()).hasSize(25).startsWith("message-0").endsWith("message-24");
        page.press("Next").awaitText("Page 2").awaitText("message-49");
        assertThat(rows()).hasSize(25).startsWith("message-25");
        page.press("Next").awaitText("Page 3").awaitText("message-59");
        assertThat(rows()).hasSize(10);
        page.press("Previous").awaitText("Page 2").awaitText("message-25");
        page.press("Previous").awaitText("Page 1").awaitText("message-0");
        assertThat(rows()).hasSize(25);
    }

    @Test
    void keysAndParkedMessagesAreShown() {
        for (String id : List.of("first", "second")) {
            queue.send(DelayMessage.to("accounts")
                    .id(id)
                    .key("account-7")
                    .payload("text")
                    .build());
        }

        page.open("").awaitText("1 parked");
        page.open(topic("accounts", "ready"))
                .awaitText("account-7")
                .awaitText("1 of the ready messages waits for another message of its key.");
        page.press("second").awaitText("account-7").awaitText("parked");
    }

    @Test
    void slowestKeysAreShownAndLetOthersPass() {
        for (String id : List.of("head", "next")) {
            queue.send(DelayMessage.to("payments")
                    .id(id)
                    .key("account-7")
                    .payload("text")
                    .build());
        }
        page.open(topic("payments")).awaitText("Slowest keys").awaitText("waits for a handler");
        LeasedDelivery head = only(receiver.receive(PAYMENTS));
        page.awaitText("is being handled");
        assertThat(page.has(LET_PASS)).isFalse();

        head.retry(Duration.ofHours(1), "bank closed").join();
        page.awaitText("waits for its next attempt, due in 59 m").awaitText("bank closed");
        assertThat(receiver.receive(PAYMENTS)).isEmpty();
        Instant due = queue.find("payments", "head").orElseThrow().dueAt();
        page.press(LET_PASS);
        assertThat(page.check()).contains("Let the others of this key pass?", "head", "account-7", "payments");
        page.confirm().awaitOutcome("head lets the others of its key pass.").awaitNoText("Slowest keys");

        assertThat(only(receiver.receive(PAYMENTS)).id()).isEqualTo("next");
        assertThat(queue.find("payments", "head"))
                .hasValueSatisfying(message -> assertThat(message.dueAt()).isEqualTo(due));
    }

    @Test
    void schedulesAreShownRunPausedAndRemoved() {
        schedules.put(Schedule.of("bills", "user-7")
                .cron("0 0 9 * * MON", ZoneId.of("Europe/Paris"))
                .payload("bill"));
        schedules.put(Schedule.of("bills", "user-8")
                .every(Duration.ofDays(365))
                .spread(Duration.ofMinutes(1))
                .payload("bill"));

        page.open(topic("bills"))
                .awaitText("0 0 9 * * MON Europe/Paris")
                .awaitText("every 365 d, later by up to 1 m")
                .awaitText("in 364 d");
        page.press("Run now schedule user-8");
        assertThat(page.check()).contains("Run this schedule now?", "user-8", "bills");
        page.confirm().awaitOutcome("The message of user-8 is sent.");
        await().until(() -> admin.counts("bills").ready() == 1);

        page.press("Pause schedule user-8");
        page.confirm().awaitOutcome("Schedule user-8 is paused.").awaitText("paused");
        assertThat(schedules.find("bills", "user-8").orElseThrow().paused()).isTrue();
        page.press("Resume schedule user-8");
        page.confirm().awaitOutcome("Schedule user-8 is resumed.");

        page.press("Remove schedule user-8");
        page.confirm().awaitOutcome("Schedule user-8 is removed.").awaitNoText("every 365 d");
        assertThat(schedules.list("bills", null, 10).schedules()).hasSize(1);
    }

    private static LeasedDelivery only(List<LeasedDelivery> deliveries) {
        assertThat(deliveries).hasSize(1);
        return deliveries.get(0);
    }

    @Test
    void deadLettersArePagedNewestFirst() {
        for (int each = 0; each < 30; each++) {
            queue.send(MAILS, "number " + each);
        }
        await().atMost(Duration.ofSeconds(30)).until(() -> admin.counts(MAILS).dead() == 30);

        page.open(topic(MAILS, "dead")).awaitText("Dead letters30");
        await().untilAsserted(() -> assertThat(rows()).hasSize(25));
        page.press("Next").awaitText("Page 2");
        await().untilAsserted(() -> assertThat(rows()).hasSize(5));
    }

    @Test
    void topicsAreFilteredAndSorted() {
        queue.send("fruit/apple", "text", Duration.ofHours(1));
        queue.send("fruit/pear", "text", Duration.ofHours(1));
        queue.send("fruit/pear", "text", Duration.ofHours(1));

        page.open("").awaitText("fruit/pear");
        page.field(".filter").sendKeys("FRUIT/");
        await().untilAsserted(() -> assertThat(rows()).containsExactly("fruit/apple", "fruit/pear"));
        page.press("Scheduled");
        await().untilAsserted(() -> assertThat(rows()).containsExactly("fruit/pear", "fruit/apple"));
        assertThat(browser.string("return document.querySelector('[aria-sort=descending]').textContent"))
                .isEqualTo("Scheduled");
        page.press("Scheduled");
        await().untilAsserted(() -> assertThat(rows()).containsExactly("fruit/apple", "fruit/pear"));
        page.field(".filter").sendKeys("none");
        page.awaitText("No topic matches the filter.");
    }

    @Test
    void viewIsInTheAddressAndInTheHistory() {
        queue.send("places", "text", Duration.ofHours(1));

        page.open("").press("places").awaitText("Coming up");
        page.press("Dead letters0").awaitText("No dead letter.");
        assertThat(browser.string("return location.hash")).isEqualTo(topic("places", "dead"));
        browser.driver().navigate().back();
        page.awaitNoText("No dead letter.");
        browser.driver().navigate().back();
        page.awaitText("Listeners").awaitText("Nodes");
        assertThat(browser.string("return location.hash")).isIn("", "#/");
    }

    @Test
    void upcomingMessagesAreCounted() {
        queue.send("soon", "text", Duration.ofSeconds(50));
        queue.send("soon", "text", Duration.ofMinutes(50));
        queue.send("soon", "text", Duration.ofHours(20));
        queue.send("soon", "text", Duration.ofDays(2));

        page.open(topic("soon")).awaitText("2 within the next hour").awaitText("2 later");
        page.press("Day").awaitText("3 within the next day").awaitText("1 later");
        page.press("All").awaitText("4 later, the last one in 1 d 23 h");
        page.press("Minute").awaitText("1 within the next minute").awaitText("3 later");
        assertThat(browser.run(Long.class, "return document.querySelectorAll('.bars rect').length"))
                .isEqualTo(60);
        page.open("").awaitText("within the next hour").press("All").awaitText("the last one in ");
        assertThat(browser.run(Long.class, "return document.querySelectorAll('.bars rect').length"))
                .isEqualTo(24);
    }

    @Test
    void requiredHandlersAreASentence(@Autowired HandlerForecasts forecasts) {
        queue.send("soon", "text", Duration.ofMinutes(50));
        queue.send(MAILS, "text", Duration.ofMinutes(90));
        queue.send(MAILS, "text");
        await().until(() -> forecasts.of(MAILS).peak() != null);

        HandlerForecast forecast = forecasts.of(MAILS);
        assertThat(forecast.present()).isPositive();
        page.open(topic(MAILS)).awaitText("it needs 1 handler and has " + forecast.present() + ".");
        assertThat(page.text()).containsPattern("At \\d{1,2}:\\d\\d");
        page.open(topic("soon")).awaitText("within the next hour").awaitNoText("it needs");
    }

    @Test
    void timeIsLocalAndItsTitleAbsolute() {
        Instant due = Instant.parse("2031-05-06T07:08:09.123Z");
        String id = queue.send("times", "text", due).id();

        page.open(topic("times", "message", id)).awaitText("2031");
        assertThat(browser.texts("return [...document.querySelectorAll('time')].map((each) => each.title)"))
                .contains("2031-05-06T07:08:09.123Z");
    }

    @Test
    void historyIsDrawn() {
        queue.send("drawn", "text", Duration.ofHours(1));

        page.open(topic("drawn"));
        await().untilAsserted(() -> assertThat(browser.texts(
                        "return [...document.querySelectorAll('.figure .spark')].map((each) => each.ariaLabel)"))
                .contains("Scheduled, last 10 minutes: now 1, at most 1"));
    }

    @Test
    void topicWithUnknownStateIsShown(@Autowired KeySpace keySpace, @Autowired RedisConnectionFactory redis) {
        queue.send("broken", "text", Duration.ofHours(1));
        queue.send("whole", "text", Duration.ofHours(1));
        byte[] schedule = keySpace.of(Shard.single("broken")).schedule();
        try (RedisConnection connection = redis.getConnection()) {
            connection.stringCommands().set(schedule, "of another type".getBytes(UTF_8));
            try {
                page.open("").awaitText("critical finding").awaitText("Its state is unknown.");
                assertThat(page.text()).contains("WRONGTYPE", "whole").doesNotContain("NaN", "undefined");
                page.press("broken").awaitText("Its state is unknown.").awaitNoText("Loading");
                assertThat(page.text()).doesNotContain("NaN", "undefined", "Delete topic");
            } finally {
                connection.keyCommands().del(schedule);
            }
        }
    }

    /** The first column of the first table. */
    private List<String> rows() {
        return browser.texts("return [...document.querySelectorAll('.topics tbody tr, .messages tbody tr')]"
                + ".map((row) => row.querySelector('a').textContent)");
    }
}
