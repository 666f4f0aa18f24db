package io.delayqueue.actuate.dashboard;

import static io.delayqueue.actuate.dashboard.DashboardApplication.INVOICES;
import static io.delayqueue.actuate.dashboard.DashboardApplication.LONELY;
import static io.delayqueue.actuate.dashboard.DashboardApplication.MAILS;
import static io.delayqueue.actuate.dashboard.DashboardApplication.PARCELS;
import static io.delayqueue.actuate.dashboard.DashboardPage.topic;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.actuate.ResponseFields;
import io.delayqueue.actuate.dashboard.DashboardApplication.Listeners;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Schedule;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.template.DelayQueueSchedules;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;
import tools.jackson.databind.json.JsonMapper;

/** Each field of a response that a script reads is a component of the record from which the response is written. */
@Tag("long")
@Tag("browser")
@TestPropertySource(properties = {"delayqueue.namespace=dashboard-fields", "delayqueue.topics[accounts].keys=ordered"})
class DashboardFieldsTests extends DashboardTest {

    /** Records the fields that are read but not among those of the view, by the path of the request. */
    private static final String RECORD_UNKNOWN_FIELDS = """
            window.unknownFields = new Set();
            const views = %s;
            const known = (value, fields, at) => {
              if (!fields || value === null || typeof value !== 'object') return value;
              if (Array.isArray(value)) return value.map((each) => known(each, fields, at));
              const read = Object.fromEntries(Object.entries(value)
                  .map(([name, each]) => [name, known(each, fields[name], `${at}.${name}`)]));
              return new Proxy(read, { get: (target, name) => {
                // each promise asks its result whether it is a promise
                if (typeof name === 'string' && name !== 'then' && !(name in fields)) unknownFields.add(`${at}.${name}`);
                return target[name];
              } });
            };
            const json = Response.prototype.json;
            Response.prototype.json = async function () {
              const view = new URL(this.url).pathname.replace(/.*\\/delayqueue\\/?/, '');
              return known(await json.call(this), views[this.ok ? view : 'error'] || views.action, view || 'overview');
            };
            """;

    @Autowired
    private DelayQueueAdmin admin;

    @Autowired
    private QueueState state;

    @Autowired
    private DelayQueueSchedules schedules;

    @Autowired
    private Listeners listeners;

    @Test
    void eachFieldThatAScriptReadsIsInTheResponse() {
        String waiting = queue.send(LONELY, "text", Duration.ofHours(1)).id();
        admin.limit(LONELY, TopicLimits.of(3, null, "100/1m", 7, 10L));
        String deadLetter =
                state.awaitDead(MAILS, queue.send(MAILS, "text").id()).deadLetterId();
        state.awaitFailed(INVOICES, queue.send(INVOICES, "text").id());
        queue.send(PARCELS, "text");
        for (String id : List.of("head", "parked")) {
            queue.send(DelayMessage.to("accounts")
                    .id(id)
                    .key("account-7")
                    .payload("text")
                    .build());
        }

        schedules.put(Schedule.of("orphans", "a").every(Duration.ofHours(1)).payload("text"));

        String script =
                RECORD_UNKNOWN_FIELDS.formatted(JsonMapper.shared().writeValueAsString(ResponseFields.byView()));
        browser.openWith(script, () -> {
            check(topic(PARCELS, "leased"));
            check(topic("accounts", "ready"));
            check(topic("orphans", "scheduled"));
            check(topic(LONELY, "scheduled"));
            check(topic(LONELY, "suspect"));
            check(topic(INVOICES, "failing"));
            check(topic(LONELY, "message", waiting));
            check(topic(MAILS, "dead-letter", deadLetter));
            check("#/find/" + waiting);
            check(topic(MAILS, "dead"));
            page.press("Purge all").awaitText("This affects 1 dead letter.");
            page.confirm().awaitText("1 of 1");
            check("");
        });
        listeners.parcels.release();
    }

    private void check(String view) {
        page.open(view).awaitNoText("Loading …");
        assertThat(browser.texts("return [...unknownFields]")).as(view).isEmpty();
    }
}
