package io.delayqueue.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.TopicLimits;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.UnusableLimitsException;
import io.delayqueue.store.script.RegisteredLimits;
import io.delayqueue.store.script.TopicLimiter;
import io.delayqueue.template.RedisTest;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A node declares the limits in its properties, and compares them later. */
@ExtendWith(OutputCaptureExtension.class)
class DeclaredLimitsTests extends RedisTest {

    private static final TopicLimits ONE = new TopicLimits(1, null, null);
    private static final TopicLimits TWO = new TopicLimits(2, null, null);

    private TopicLimiter limiter;
    private DeclaredLimits first;
    private DeclaredLimits second;

    @BeforeEach
    void assemble() {
        limiter = new TopicLimiter(queue.scripts, queue.keySpace, queue.topics);
        first = declaring(ONE);
        second = declaring(TWO);
    }

    private DeclaredLimits declaring(TopicLimits limits) {
        return new DeclaredLimits(limiter, Map.of("sms", limits), () -> 0);
    }

    private RegisteredLimits registered() {
        return Await.result(limiter.read("sms")).orElse(RegisteredLimits.NONE);
    }

    private Object applied() {
        return server.command("HGET", "dq:{sms:0.0}:meta", "limits");
    }

    @Test
    void limitsAreDeclaredOnceAndThenOnlyCompared(CapturedOutput output) {
        queue.open("sms");
        Await.result(first.declareAll());
        assertThat(first.run()).isEqualTo(DeclaredLimits.INTERVAL);
        int calls = queue.calls();
        assertThat(first.run()).isEqualTo(DeclaredLimits.INTERVAL);
        assertThat(queue.calls()).isGreaterThan(calls);
        assertThat(registered()).isEqualTo(new RegisteredLimits(ONE, null));
        assertThat(applied()).isEqualTo("1 0 0 0");
        assertThat(output).doesNotContain("sms");
    }

    @Test
    void theFirstRunAfterADeclarationCallsNothing() {
        Await.result(first.declareAll());
        int calls = queue.calls();
        assertThat(first.run()).isEqualTo(DeclaredLimits.INTERVAL);
        assertThat(queue.calls()).isEqualTo(calls);
    }

    @Test
    void theNodeThatStartedLastWins(CapturedOutput output) {
        Await.result(first.declareAll());
        Await.result(second.declareAll());
        assertThat(output)
                .contains("The declared limits of topic sms are now: at most 2 at a time; before: at most 1 at a time");
        for (int run = 0; run < 3; run++) {
            first.run();
            second.run();
        }
        assertThat(registered()).isEqualTo(new RegisteredLimits(TWO, null));
        assertThat(output)
                .containsOnlyOnce(
                        "Another node declares other limits of topic sms: at most 2 at a time; the properties of"
                                + " this node: at most 1 at a time. The node that started last wins.");
    }

    @Test
    void limitsThatWereSetAreKept() {
        Await.result(limiter.set("sms", TWO));
        Await.result(first.declareAll());
        first.run();
        assertThat(registered()).isEqualTo(new RegisteredLimits(ONE, TWO));
    }

    @Test
    void aTopicThatLostItsDeclaredLimitsGetsThemAgain() {
        Await.result(first.declareAll());
        Await.result(limiter.clearDeclared("sms"));
        first.run();
        assertThat(registered().declared()).isNull();
        first.run();
        assertThat(registered()).isEqualTo(new RegisteredLimits(ONE, null));
    }

    @Test
    void aShardWithOtherLimitsGetsThoseOfTheRegistry() {
        queue.open("sms");
        Await.result(first.declareAll());
        server.command("HDEL", "dq:{sms:0.0}:meta", "limits");
        first.run();
        first.run();
        assertThat(applied()).isEqualTo("1 0 0 0");
    }

    @Test
    void aDeletedTopicStaysDeleted() {
        Await.result(first.declareAll());
        server.flush();
        first.run();
        first.run();
        assertThat(server.command("DBSIZE")).isEqualTo(0L);
    }

    @Test
    void aDeclarationWithoutAReplyIsRepeatedByTheTask() {
        queue.proxy.refuse();
        assertThatThrownBy(() -> Await.result(first.declareAll())).isInstanceOf(RedisCallException.class);
        assertThatThrownBy(first::run).isInstanceOf(RedisCallException.class);
        queue.proxy.pass();
        await().until(() -> succeeds(first));
        assertThat(registered()).isEqualTo(new RegisteredLimits(ONE, null));
    }

    private static boolean succeeds(DeclaredLimits limits) {
        try {
            limits.run();
            return true;
        } catch (RedisCallException e) {
            return false; // it is not connected again
        }
    }

    @Test
    void aTopicWithSeveralShardsIsRejectedAndLoggedOnce(CapturedOutput output) {
        server.command("HSET", "dq:topics", "sms", "4:17");
        assertThatThrownBy(() -> Await.result(first.declareAll())).isInstanceOf(UnusableLimitsException.class);
        first.run();
        first.run();
        assertThat(output).containsOnlyOnce("Topic sms has 4 shards, but a topic with limits must have one.");
        assertThat(server.command("HGET", "dq:topics", "sms")).isEqualTo("4:17");
    }
}
