package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.template.SendLimits;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A row that this version cannot read, for example because a newer one wrote it, stops no other row. */
class UnreadableRowsTests extends OutboxTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "kind = 'NEWER'",
                "on_duplicate = 'NEWER'",
                "durability = 'everywhere'",
                "topic = ' '",
                "message_id = ''",
                "envelope = X'00'",
                "envelope = null"
            })
    void isSetAsideAloneAndCounted(String value) {
        OutboxNode node = node();
        node.queue.proxy.refuse();
        node.place(message("a"));
        node.place(message("b"));
        node.place(message("c"));
        node.jdbc.update("update delayqueue_outbox set " + value + " where seq = "
                + node.rows().get(1));
        node.queue.proxy.pass();
        node.relay.run();

        node.drain();

        consumer.consume(TOPIC);
        assertThat(consumer.handled()).containsExactlyInAnyOrder("a", "c");
        assertThat(node.outbox.table().content().setAside()).isEqualTo(1);
        assertThat(node.jdbc.queryForObject("select reason from delayqueue_outbox", String.class))
                .matches("(UNREADABLE|INVALID): .+");
        assertThat(node.queue.sent()).anyMatch(line -> line.startsWith("failed "));
    }

    @Test
    void unreadableCancelIsToldAsOne() {
        OutboxNode node = node();
        node.outbox.close();
        node.cancel("x");
        node.cancel("y");
        node.jdbc.update("update delayqueue_outbox set durability = 'everywhere' where message_id = 'x'");

        node.drain();

        assertThat(node.jdbc.queryForList("select message_id from delayqueue_outbox", String.class))
                .containsExactly("x");
        assertThat(node.outbox.table().content().setAside()).isEqualTo(1);
        assertThat(node.queue.sent()).singleElement().asString().startsWith("not cancelled " + TOPIC + " x ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"unreadable", "rejected"})
    void isToldOnceAfterTheCommitThatSetsItAside(String payload) {
        OutboxNode node = node();
        node.outbox.close();
        node.place(message("a", payload));
        if (payload.equals("unreadable")) {
            node.jdbc.update("update delayqueue_outbox set envelope = X'00', topic = ' '");
        }
        OutboxNode relaying =
                node(template -> template.limits(new SendLimits(1, 1000, Duration.ofHours(1), 500, 1_000_000)));
        List<String> calls = callsOfTheRelay(payload);
        relaying.faults.failAt(calls.indexOf("commit"), false, false, () -> {});

        relaying.relay.run();
        assertThat(relaying.faults.hasFailed()).isTrue();
        assertThat(relaying.queue.sent()).isEmpty();

        relaying.relay.run();
        relaying.relay.run();
        assertThat(relaying.queue.sent()).singleElement().asString().startsWith("failed ");
        assertThat(relaying.outbox.table().content().setAside()).isEqualTo(1);
    }

    private static List<String> callsOfTheRelay(String payload) {
        return payload.equals("unreadable")
                ? List.of("search", "claim", "set aside", "commit")
                : List.of("search", "claim", "blocked", "set aside", "commit");
    }
}
