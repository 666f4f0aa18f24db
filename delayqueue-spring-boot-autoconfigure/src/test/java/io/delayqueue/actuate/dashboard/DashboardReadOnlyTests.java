package io.delayqueue.actuate.dashboard;

import static io.delayqueue.actuate.dashboard.DashboardApplication.LONELY;
import static io.delayqueue.actuate.dashboard.DashboardApplication.MAILS;
import static io.delayqueue.actuate.dashboard.DashboardPage.topic;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;

/** The default of the endpoint: it is read-only, and hides payloads from unauthenticated users. */
@Tag("long")
@Tag("browser")
@TestPropertySource(
        properties = {
            "delayqueue.namespace=dashboard-read-only",
            "management.endpoint.delayqueue.access=read-only",
            "management.endpoint.delayqueue.show-payloads=when-authorized"
        })
class DashboardReadOnlyTests extends DashboardTest {

    private static final String[] HARMLESS = {
        "Find",
        "Keyboard shortcuts",
        "Pause updates",
        "Topic",
        "Lag",
        "Ready",
        "Leased",
        "Sent",
        "Handled",
        "Failed",
        "Scheduled",
        "Latest due",
        "Dead letters",
        "Consumers",
        "Minute",
        "Hour",
        "Day",
        "All",
        "Search further",
        "Search again",
        "Previous",
        "Next"
    };

    @Autowired
    private QueueState state;

    @AfterEach
    void consoleHasNoErrors() {
        assertThat(page.consoleMessages()).isEmpty();
    }

    @Test
    void noActionIsOffered() {
        String id = queue.send(LONELY, "text", Duration.ofHours(1)).id();
        String deadLetter =
                state.awaitDead(MAILS, queue.send(MAILS, "one").id()).deadLetterId();

        for (String view : new String[] {
            "",
            topic(LONELY, "scheduled"),
            topic(LONELY, "failing"),
            topic(MAILS, "dead"),
            topic(LONELY, "message", id),
            topic(MAILS, "dead-letter", deadLetter)
        }) {
            page.open(view).awaitNoText("Loading …").awaitText("read-only");
            assertThat(page.buttons()).as(view).isSubsetOf(HARMLESS);
        }
    }

    @Test
    void payloadIsHiddenFromUnauthorizedUsers() {
        String id = queue.send(LONELY, "a secret", Duration.ofHours(1)).id();

        page.open(topic(LONELY, "message", id))
                .awaitText("Hidden: see management.endpoint.delayqueue.show-payloads")
                .awaitNoText("a secret");
        page.open(topic(LONELY, "scheduled")).awaitText(id).awaitNoText("a secret");
    }
}
