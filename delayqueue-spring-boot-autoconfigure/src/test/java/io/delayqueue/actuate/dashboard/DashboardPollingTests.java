package io.delayqueue.actuate.dashboard;

import static io.delayqueue.actuate.dashboard.DashboardApplication.LONELY;
import static io.delayqueue.actuate.dashboard.DashboardPage.topic;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The page updates its data with few requests, and marks old data. */
@Tag("long")
@Tag("browser")
@DirtiesContext
class DashboardPollingTests extends DashboardTest {

    private static final RedisServerProcess REDIS = RedisServerProcess.start();
    private static final Duration THREE_POLLS = Duration.ofSeconds(6);

    @Autowired
    private RequestCounter requests;

    @DynamicPropertySource
    static void redis(DynamicPropertyRegistry properties) {
        properties.add("spring.data.redis.port", REDIS::port);
    }

    @AfterAll
    static void stopRedis() {
        REDIS.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1})
    void historyIsRequestedOnce(int hoursAhead) {
        browser.openWith(
                "const real = Date.now; Date.now = () => real() + " + hoursAhead * 3_600_000, () -> page.open(""));
        int before = requests.total();
        await().until(() -> requests.total() >= before + 3);

        assertThat(requests.overviewQuery()).isEqualTo("history=false");
    }

    @Test
    void changesAreShownByOneRequestAtATime() {
        page.open(topic("changed")).awaitText("There is no such topic.");
        String id = queue.send("changed", "text", Duration.ofHours(1)).id();
        page.awaitText(id);
        queue.cancel("changed", id);
        page.awaitNoText(id);

        assertThat(requests.maxConcurrent()).isOne();
    }

    @Test
    void hiddenTabSendsNoRequests() throws Exception {
        page.open("");
        AtomicInteger before = new AtomicInteger(-1);
        try (AutoCloseable hidden = browser.hideBehindAnotherTab()) {
            // requests that were sent before the tab was hidden still arrive
            await().during(THREE_POLLS).atMost(Duration.ofSeconds(30)).until(() -> {
                int now = requests.total();
                return before.getAndSet(now) == now;
            });
        }
        await().until(() -> requests.total() > before.get());
    }

    @Test
    void heldPageSendsNoRequests() {
        page.open("").press("Pause updates").awaitText("Paused since");
        AtomicInteger before = new AtomicInteger(-1);
        await().during(THREE_POLLS).atMost(Duration.ofSeconds(30)).until(() -> {
            int now = requests.total();
            return before.getAndSet(now) == now;
        });
        page.press("Resume updates").awaitText("Live");
        await().until(() -> requests.total() > before.get());
    }

    @Test
    void dataIsMarkedAsOldWhileRedisIsUnavailable() {
        queue.send(LONELY, "text", Duration.ofHours(1));
        page.open("").awaitText(LONELY);

        REDIS.stop();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> browser.is("return document.querySelector('[role=alert] .notification') !== null"));
        assertThat(browser.is("return document.body.classList.contains('stale')"))
                .isTrue();
        assertThat(page.text()).contains("The data shown is from", LONELY);
        browser.run("location.hash = arguments[0]", topic(LONELY, "message", "any"));
        page.awaitText("The data shown is from").awaitNoText("Loading");
        browser.run("location.hash = ''");

        REDIS.restart();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> browser.is("return document.querySelector('.live.on') !== null"
                        + " && document.querySelector('[role=alert] .notification') === null"
                        + " && !document.body.classList.contains('stale')"));
    }
}
