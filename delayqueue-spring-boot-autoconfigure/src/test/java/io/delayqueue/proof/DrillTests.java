package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.health.contributor.Status;
import tools.jackson.databind.JsonNode;

/** What an operator sees if handlers fail or are slow, messages become dead letters, or Redis hangs. */
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
        alerts("failing handler", "DelayQueueFailing");
        assertThat(observer.act("pause", "topic", "payment").status()).isEqualTo(200);
        seen("failing handler, end a minute after the pause", SEEN.plusMinutes(1), () -> !finds("critical", "failing"));
    }

    @Test
    void unavailableSystemIsSeen() {
        send("refund", 20);
        seen("unavailable system, finding", () -> finds("critical", "unavailable"));
        assertThat(findings())
                .contains("A system that listener", "DependencyUnavailableException: the bank is unavailable");
        seen("unavailable system, health", () -> health().getStatus().equals(DEGRADED));
        seen("unavailable system, log", () -> worker.log().contains("The listener claims no messages"));
        alerts("unavailable system", "DelayQueueUnavailable");
        assertThat(overview()
                        .path("topics")
                        .valueStream()
                        .filter(topic -> topic.path("topic").asString().equals("refund"))
                        .findFirst()
                        .orElseThrow()
                        .path("dead")
                        .asInt())
                .isZero();
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
        alerts("slow handlers", "DelayQueueLagTooHigh");
    }

    @Test
    void deadLettersStayAFinding() {
        send("mail", 3);
        seen(
                "dead letters, finding",
                () -> finds("warning", "dead_letters") && findings().contains("3 dead letters"));
        seen("dead letters, health", () -> health().getDetails().toString().contains("3 dead letters"));
        assertThat(health().getStatus()).isEqualTo(Status.UP);
        alerts("dead letters", "DelayQueueDeadLettersGrow");
        assertThat(observer.act("start-job", "action", "purge", "topic", "mail").status())
                .isEqualTo(200);
        seen("dead letters, end after the purge", () -> !finds("warning", "dead_letters"));
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
}
