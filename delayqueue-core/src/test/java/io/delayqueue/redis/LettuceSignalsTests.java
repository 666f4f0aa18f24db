package io.delayqueue.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.redis.SignalSource.Subscription;
import java.util.List;
import org.junit.jupiter.api.Test;

class LettuceSignalsTests extends SignalSourceContract {

    @Override
    OwnConnections connect(int port) {
        return OwnConnections.lettuce(port);
    }

    @Test
    void whatIsNotASignalIsIgnored() {
        signals.listen(shard, new Recorder() {
            @Override
            public void headAt(long dueMillis) {
                throw new IllegalStateException("on purpose");
            }
        });
        signals.listen(shard, recorder);
        start(recorder);

        List.of(
                        "",
                        " ",
                        "h",
                        "h x",
                        "h " + kind(shard),
                        "h " + kind(shard) + " soon",
                        "h nobody 1",
                        "z a b",
                        "c other",
                        "s")
                .forEach(this::publish);
        publish("h " + kind(shard) + " 1");

        await().until(() -> !recorder.heard.isEmpty());
        assertThat(recorder.heard).containsExactly("head 1");
    }

    @Test
    void closedListenerHearsNothing() {
        Recorder gone = new Recorder();
        Subscription subscription = signals.listen(shard, gone);
        signals.listen(shard, recorder);
        start(recorder, gone);
        subscription.close();
        subscription.close();

        publish("h " + kind(shard) + " 1");

        await().until(() -> recorder.heard.contains("head 1"));
        assertThat(gone.heard).isEmpty();
    }

    @Test
    void ownCanaryConfirmsForItsValidity() {
        start();
        assertThat(signals.confirmed()).isFalse();

        publish("c node-2");
        publish("c node-1");
        await().until(signals::confirmed);

        nanos.addAndGet(VALIDITY.toNanos());
        assertThat(signals.confirmed()).isTrue();
        nanos.addAndGet(1);
        assertThat(signals.confirmed()).isFalse();

        publish("c node-2");
        publish("c node-1");
        await().until(signals::confirmed);
    }

    @Test
    void subscriptionThatHearsItsCanariesIsKept() {
        signals.listen(shard, recorder);
        start(recorder);
        long connections = network.traffic().connections();

        for (int heartbeat = 0; heartbeat < 10; heartbeat++) {
            nanos.addAndGet(VALIDITY.toNanos() + 1);
            publish("c node-1");
            await().until(signals::confirmed);
            signals.afterHeartbeat();
        }

        assertThat(network.traffic().connections()).isEqualTo(connections);
        assertThat(recorder.heard).isEmpty();
    }
}
