package io.delayqueue.actuate.dashboard;

import static io.delayqueue.actuate.dashboard.DashboardApplication.LONELY;
import static io.delayqueue.actuate.dashboard.DashboardApplication.MAILS;
import static io.delayqueue.actuate.dashboard.DashboardPage.topic;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.template.DelayQueueOperations;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;

/** As the endpoint is by default: it only reads, and shows no payload to those whom nobody knows. */
@DashboardTest
@Tag("soak")
@TestPropertySource(
        properties = {
            "delayqueue.namespace=dashboard-read-only",
            "management.endpoint.delayqueue.access=read-only",
            "management.endpoint.delayqueue.show-payloads=when-authorized"
        })
class DashboardReadOnlyTests {

    private static final String[] HARMLESS = {
        "Find",
        "Hold",
        "Topic",
        "Lag",
        "Ready",
        "Leased",
        "Scheduled",
        "Dead letters",
        "Consumers",
        "Minute",
        "Hour",
        "Day",
        "Search further",
        "Search again",
        "Previous",
        "Next"
    };

    @Autowired
    private DelayQueueOperations queue;

    @Autowired
    private QueueState state;

    @LocalServerPort
    private int port;

    private DashboardPage page;

    @BeforeEach
    void openPage(Browser browser) {
        page = new DashboardPage(browser, port);
    }

    @AfterEach
    void nothingWentWrongUnseen() {
        assertThat(page.complaints()).isEmpty();
    }

    @Test
    void noActionIsOffered() {
        String id = queue.send(LONELY, "text", Duration.ofHours(1)).id();
        String deadLetter =
                state.awaitDead(MAILS, queue.send(MAILS, "one").id()).deadLetterId();

        for (String place : new String[] {
            "",
            topic(LONELY, "scheduled"),
            topic(LONELY, "failing"),
            topic(MAILS, "dead"),
            topic(LONELY, "message", id),
            topic(MAILS, "dead-letter", deadLetter)
        }) {
            page.open(place).awaitNoText("Loading …").awaitText("read-only");
            assertThat(page.buttons()).as(place).isSubsetOf(HARMLESS);
        }
    }

    @Test
    void payloadThatMayNotBeSeenIsNotShown() {
        String id = queue.send(LONELY, "a secret", Duration.ofHours(1)).id();

        page.open(topic(LONELY, "message", id))
                .awaitText("Hidden: see management.endpoint.delayqueue.show-payloads")
                .awaitNoText("a secret");
        page.open(topic(LONELY, "scheduled")).awaitText(id).awaitNoText("a secret");
    }
}
