package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Due;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.test.redis.RedisServerProcess;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The send id is the same for all deliveries of a send, and another one for another send. */
class SendIdTests extends HandlingTest {

    private final List<String> sendIds = new CopyOnWriteArrayList<>();

    SendIdTests(RedisServerProcess redis) {
        super(redis);
    }

    private void listenFailing(int failures) {
        listen(QUICK.toBuilder().maxAttempts(2).build(), deliveries -> {
            sendIds.add(deliveries.get(0).sendId());
            if (sendIds.size() <= failures) {
                throw new IllegalStateException("fails");
            }
            return null;
        });
    }

    private static DelayMessage.Builder message() {
        return DelayMessage.to("t").id("m").payload("");
    }

    @Test
    void retriesAndReplaysKeepIt() {
        listenFailing(2);
        node.template.send(message().build());
        Awaitility.await().until(() -> !deadLetters().isEmpty());

        Await.result(node.store.replay(
                        Shard.single("t"), List.of(deadLetters().get(0).deadLetterId()), Due.NOW))
                .get(0);
        Awaitility.await().until(() -> sendIds.size() == 3);

        assertThat(sendIds.get(0)).hasSize(8);
        assertThat(sendIds).containsOnly(sendIds.get(0));
    }

    @Test
    void anotherSendOfTheIdHasAnotherOne() {
        listenFailing(0);
        sendUntilAcknowledged(message());
        sendUntilAcknowledged(message());
        sendUntilAcknowledged(message().nonce("n1"));
        sendUntilAcknowledged(message().nonce("n1"));

        assertThat(sendIds).hasSize(4);
        assertThat(sendIds.subList(0, 3)).doesNotHaveDuplicates();
        assertThat(sendIds.subList(2, 4)).containsExactly("n1", "n1");
    }

    private void sendUntilAcknowledged(DelayMessage.Builder message) {
        node.template.send(message.build());
        Awaitility.await().until(() -> node.template.find("t", "m").isEmpty());
    }
}
