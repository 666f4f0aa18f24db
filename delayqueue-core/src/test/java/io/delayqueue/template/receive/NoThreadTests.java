package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The executor of the completions cannot create a thread. */
class NoThreadTests extends ReceiveTest {

    private final AtomicBoolean none = new AtomicBoolean();

    @Test
    void futuresCompleteOnTheCallingThread() {
        DefaultDelayQueueReceiver other = builder().completions(this::execute).build();
        send("a", Duration.ZERO);
        send("b", Duration.ZERO);
        none.set(true);

        for (String id : List.of("a", "b")) {
            List<LeasedDelivery> received = join(other.receiveAsync("orders", 1, LONG));
            assertThat(received).extracting(LeasedDelivery::id).containsExactly(id);
            assertThat(join(received.get(0).acknowledge())).isTrue();
        }
        other.close();
    }

    private void execute(Runnable task) {
        if (none.get()) {
            throw new OutOfMemoryError("unable to create native thread");
        }
        task.run();
    }
}
