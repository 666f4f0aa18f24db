package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an operator sees if nodes are killed or listeners are stopped. */
@Tag("long")
@Tag("drill")
@Timeout(300)
class NodeDrillTests extends DrillTest {

    @Test
    void killedNodeIsSeen() {
        worker.kill();
        seen("killed node, finding", () -> finds("warning", "node_failed"));
        assertThat(findings()).contains("process " + worker.pid());
        seen("killed node, health", () -> health().getDetails().toString().contains("process " + worker.pid()));
        send("orders", 1);
        seen("killed node, no listener", () -> finds("critical", "no_listener"));
        assertThat(findings()).contains("No node listens to any of");
        alerts("killed node", "DelayQueueNodeFailed");
        alerts("killed node, no listener", "DelayQueueTopicWithoutConsumer");
        begin = Instant.now();
        observer.close();
        alerts("no process", "DelayQueueAbsent");
    }

    @Test
    void messageThatKillsItsProcessIsSeen() {
        send("image", 1);
        seen("message that kills its process, end of the process", () -> !worker.isRunning());
        seen("message that kills its process, finding", () -> finds("warning", "node_failed"));
        alerts("message that kills its process", "DelayQueueNodeFailed");
    }

    @Test
    void topicsWithoutListenersAreOneFinding() {
        for (int topic = 0; topic < 30; topic++) {
            send("t" + topic, 1);
        }
        worker.stop();
        seen("no listeners, finding", () -> finds("critical", "no_listener"));
        assertThat(overview().path("findings")).hasSizeLessThanOrEqualTo(5);
        assertThat(findings()).contains("No node listens to any of 36 topics; last seen ");
        seen("no listeners, health", () -> health().getStatus().equals(DEGRADED));
        alerts("no listeners", "DelayQueueTopicWithoutConsumer");
    }
}
