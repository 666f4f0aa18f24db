package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.health.contributor.Status;
import tools.jackson.databind.JsonNode;

/** What an operator sees if handlers fail or are slow, Redis hangs, or nodes are killed. */
@Tag("long")
@Tag("drill")
@Timeout(300)
class DrillTests extends DrillTest {

    @Test
    void handlerThatThrowsAlwaysIsSeen() {
        send("payment", 40);
        seen("failing handler, finding", () -> finds("critical", "failing"));
        assertThat(findings())
                .contains("0 of", "attempts succeeded in the last minute", "PaymentDown: connection refused");
        seen("failing handler, health", () -> health().getStatus().equals(DEGRADED));
        seen(
                "failing handler, log",
                () -> worker.log().contains("In listener") && worker.log().contains("PaymentDown"));
        alerts("failing handler", "DelayQueueCritical", "kind=\"failing\"", "topic=\"payment\"");
        assertThat(observer.act("pause", "topic", "payment").status()).isEqualTo(200);
        seen("failing handler, end a minute after the pause", SEEN.plusMinutes(1), () -> !finds("critical", "failing"));
    }

    @Test
    void slowHandlersAreSeenWithTheirCause() {
        send("report", 20);
        seen("slow handlers, finding", () -> finds("critical", "late"));
        assertThat(findings())
                .contains("All 2 permits are used", "the oldest handler has been running for", "The handlers are slow");
        seen("slow handlers, health", () -> health().getStatus().equals(DEGRADED));
        JsonNode listener = overview()
                .path("nodes")
                .valueStream()
                .flatMap(node -> node.path("listeners").valueStream())
                .filter(each -> each.path("topic").asString().equals("report"))
                .findFirst()
                .orElseThrow();
        assertThat(listener.path("oldest").path("id").asString()).isNotEmpty();
        assertThat(listener.path("running").asInt()).isEqualTo(2);
        alerts("slow handlers", "DelayQueueCritical", "kind=\"late\"", "topic=\"report\"");
    }

    @Test
    void pausedRedisIsSeen() {
        redis.pause();
        try {
            seen("paused Redis, health", () -> health().getStatus().equals(Status.DOWN));
            seen("paused Redis, endpoint", () -> observer.view("").status() == 503);
            seen("paused Redis, log", () -> worker.log().contains("failed and is retried until it succeeds"));
            alerts("paused Redis", "DelayQueueRedisErrors");
        } finally {
            redis.resume();
        }
        begin = Instant.now();
        seen("Redis that replies again, log", () -> worker.log().contains("Redis replies again after"));
        seen("Redis that replies again, health", () -> health().getStatus().equals(Status.UP));
    }

    @Test
    void killedNodeIsSeen() {
        worker.kill();
        seen("killed node, finding", () -> finds("warning", "node_failed"));
        assertThat(findings()).contains("process " + worker.pid());
        seen("killed node, health", () -> health().getDetails().toString().contains("process " + worker.pid()));
        send("orders", 1);
        seen("killed node, no listener", () -> finds("critical", "no_listener"));
        assertThat(findings()).contains("No node listens to any of");
        alerts("killed node", "DelayQueueWarning", "kind=\"node_failed\"", "node=\"shop-1\"");
        alerts("killed node, no listener", "DelayQueueCritical", "kind=\"no_listener\"", "topic=\"orders\"");
        begin = Instant.now();
        observer.close();
        alerts("no process", "DelayQueueAbsent");
    }

    @Test
    void messageThatKillsItsProcessIsSeen() {
        send("image", 1);
        seen("message that kills its process, end of the process", () -> !worker.isRunning());
        seen("message that kills its process, finding", () -> finds("warning", "node_failed"));
        alerts("message that kills its process", "DelayQueueWarning", "kind=\"node_failed\"", "node=\"shop-1\"");
    }

    @Test
    void deadLettersStayAFinding() {
        send("mail", 3);
        seen(
                "dead letters, finding",
                () -> finds("warning", "dead_letters") && findings().contains("3 dead letters"));
        seen("dead letters, health", () -> health().getDetails().toString().contains("3 dead letters"));
        assertThat(health().getStatus()).isEqualTo(Status.UP);
        alerts("dead letters", "DelayQueueWarning", "kind=\"dead_letters\"", "topic=\"mail\"");
        assertThat(observer.act("start-job", "action", "purge", "topic", "mail").status())
                .isEqualTo(200);
        seen("dead letters, end after the purge", () -> !finds("warning", "dead_letters"));
    }

    @Test
    void topicsWithoutListenersAreOneFinding() {
        for (int topic = 0; topic < 30; topic++) {
            send("t" + topic, 1);
        }
        worker.stop();
        seen("no listeners, finding", () -> finds("critical", "no_listener"));
        assertThat(overview().path("findings")).hasSizeLessThanOrEqualTo(5);
        assertThat(findings()).containsPattern("No node listens to any of \\d+ topics; last seen ");
        seen("no listeners, health", () -> health().getStatus().equals(DEGRADED));
        alerts("no listeners", "DelayQueueCritical", "kind=\"no_listener\"");
    }
}
