package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.delayqueue.annotation.DelayListenerEndpoint;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.redis.Await;
import io.delayqueue.template.BatchSendException;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Ids and topics cannot inject a line into the log or into the message of an exception. */
@ExtendWith(OutputCaptureExtension.class)
class ForeignNamesTests extends NodeTest {

    private static final String FORGED = "\nERROR forged";

    ForeignNamesTests(RedisServerProcess redis) {
        super(redis);
    }

    private static DelayMessage.Builder message(String id) {
        return DelayMessage.to("t" + FORGED).id(id + FORGED).payload("p");
    }

    @Test
    void noLineOfTheLogBeginsWithThem(CapturedOutput output) {
        QueueNode node =
                add(QueueNode.on(redis.port()).settings(Pacing.builtIn().settings()));
        node.template.send(message("expired")
                .expireAt(Instant.parse("2000-01-01T00:00:00Z"))
                .build());
        node.template.send(message("failing").build());
        ListenerOptions options = ListenerOptions.DEFAULTS.toBuilder()
                .retryPolicy(failed -> {
                    throw new IllegalStateException("broken policy");
                })
                .build();
        node.listen("t" + FORGED, options, deliveries -> {
            throw new IllegalStateException("fails");
        });

        await().untilAsserted(() -> assertThat(output.getAll())
                .contains("The retry policy failed for message failing\\nERROR forged of topic t\\nERROR forged")
                .contains("Message expired\\nERROR forged of topic t\\nERROR forged was dead-lettered")
                .contains("starts on topic t\\nERROR forged"));
        assertThat(output.getAll().lines()).noneMatch(line -> line.startsWith("ERROR forged"));
    }

    @Test
    void pausesAreLoggedOnOneLine(CapturedOutput output) {
        QueueNode node =
                add(QueueNode.on(redis.port()).settings(Pacing.builtIn().settings()));
        node.directory.pause("t" + FORGED, null, null, "alice" + FORGED);
        node.listen("t" + FORGED, ListenerOptions.DEFAULTS, deliveries -> null);

        await().untilAsserted(() -> assertThat(output.getAll())
                .contains("Paused: topic t\\nERROR forged on all nodes, by alice\\nERROR forged"));
        assertThat(output.getAll().lines()).noneMatch(line -> line.startsWith("ERROR forged"));
    }

    @Test
    void noLineOfAnExceptionBeginsWithThem() {
        QueueNode node =
                add(QueueNode.on(redis.port()).settings(Pacing.builtIn().settings()));
        DelayMessage stored = message("a").delay(Duration.ofHours(1)).build();
        node.template.send(stored);

        for (Throwable thrown : List.of(
                catchThrowable(() -> node.template.send(stored)),
                catchThrowable(() -> node.template.sendAll(List.of(stored))),
                catchThrowable(() -> node.template.send(
                        message("large").payload(new byte[2_000_000]).build())),
                catchThrowable(() -> node.template.reschedule(stored.topic(), "a" + FORGED, Duration.ofDays(10_000))),
                catchThrowable(() -> node.template.find(stored.topic(), FORGED.repeat(100))),
                catchThrowable(() -> Await.call(() -> node.registry.registerWithin("other" + FORGED, 1))),
                catchThrowable(() -> DelayListenerEndpoint.to("t" + FORGED).build()))) {
            assertThat(thrown.getMessage()).contains("\\nERROR forged").doesNotContain("\n");
            assertThat(thrown.getMessage().length()).isLessThan(thrown instanceof BatchSendException ? 2000 : 800);
        }
    }
}
