package io.delayqueue.autoconfigure.health;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.autoconfigure.failure.StartFailedException;
import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.server.ServerProbe;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Settings of Redis that fail the start or are logged, with replies that the test controls. */
@ExtendWith(OutputCaptureExtension.class)
class RedisCheckTests {

    private static final String EVICTS = "Redis may evict messages of the delay queue: its maxmemory-policy is '";
    private static final String KEEPS_NOTHING = "Redis writes no append-only file";

    private CompletableFuture<List<Object>> reply = CompletableFuture.failedFuture(
            new RedisCallException(RedisCallException.Kind.NOT_SENT, "no connection", null));

    private @Nullable PeriodicTask pendingCheck;
    private boolean cancelled;

    private void reply(String policy, String appendOnly) {
        reply = CompletableFuture.completedFuture(
                Stream.of("0", "8.2.0", "0", policy, appendOnly, "1", "master", "0", "")
                        .map(text -> (Object) text.getBytes(UTF_8))
                        .toList());
    }

    private RedisCheck check(boolean allowEviction) {
        return check(allowEviction, true);
    }

    private RedisCheck check(boolean allowEviction, boolean warnWithoutPersistence) {
        ServerProbe probe = new ServerProbe(call -> reply, new KeySpace("dq"), InstantSource.system(), () -> 0);
        return new RedisCheck(
                        probe,
                        (name, task) -> schedule(task),
                        new DelayQueueProperties.Redis(
                                Duration.ofSeconds(5), Duration.ofSeconds(1), allowEviction, warnWithoutPersistence))
                .begin();
    }

    private TaskHandle schedule(PeriodicTask task) {
        pendingCheck = task;
        return new TaskHandle() {
            @Override
            public void wake() {}

            @Override
            public void wakeWithin(Duration time) {}

            @Override
            public void cancel() {
                cancelled = true;
            }
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"allkeys-lru", "allkeys-random"})
    void evictionFailsTheStart(String policy) {
        reply(policy, "1");

        assertThatThrownBy(check(false)::check)
                .isInstanceOf(StartFailedException.class)
                .hasMessageContaining(EVICTS + policy + "'");
    }

    @Test
    void allowedEvictionIsLoggedAsWarning(CapturedOutput output) {
        reply("allkeys-lru", "1");
        check(true).check();

        assertThat(output).contains("WARN", EVICTS + "allkeys-lru'", "delayqueue.redis.allow-eviction is true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"volatile-lru", "volatile-ttl"})
    void volatilePolicyIsLoggedAsWarning(String policy, CapturedOutput output) {
        reply(policy, "1");
        check(false).check();

        assertThat(output)
                .containsOnlyOnce(
                        "Redis' maxmemory-policy is '" + policy + "'. When memory is full, Redis keeps all messages,")
                .doesNotContain("may evict messages");
    }

    @Test
    void missingAppendOnlyFileIsLoggedAsWarning(CapturedOutput output) {
        reply("noeviction", "0");
        check(false).check();

        assertThat(output).containsOnlyOnce(KEEPS_NOTHING);
    }

    @Test
    void missingAppendOnlyFileOfATestsRedisIsNotLogged(CapturedOutput output) {
        reply("volatile-lru", "0");
        check(false, false).check();

        assertThat(output).doesNotContain(KEEPS_NOTHING).contains("maxmemory-policy is 'volatile-lru'");
    }

    /** Without permission for INFO the values are empty. */
    @ParameterizedTest
    @ValueSource(strings = {"noeviction/1", "/"})
    void durableOrUnknownServerIsNotLogged(String settings, CapturedOutput output) {
        reply(settings.substring(0, settings.indexOf('/')), settings.substring(settings.indexOf('/') + 1));
        check(false).check();

        assertThat(output).doesNotContain(KEEPS_NOTHING, "may evict");
    }

    @Test
    void checkThatFailedBeforeTheStartIsRepeated() {
        RedisCheck check = check(false);
        reply("allkeys-lru", "1");

        assertThatThrownBy(check::check).isInstanceOf(StartFailedException.class);
    }

    /** The start waits for a second. */
    @Test
    void unresponsiveServerDoesNotHoldTheStart() {
        reply = new CompletableFuture<>();
        check(false).check();

        assertThat(pendingCheck).isNotNull();
    }

    @Test
    void unavailableServerIsCheckedWhenItReplies(CapturedOutput output) throws Exception {
        check(false).check();
        assertThat(pendingCheck).isNotNull();
        assertThatThrownBy(pendingCheck::run).isInstanceOf(RuntimeException.class);
        assertThat(cancelled).isFalse();
        assertThat(output).doesNotContain(EVICTS);
        reply("allkeys-lru", "1");

        assertThat(pendingCheck.run()).isGreaterThan(Duration.ofDays(1));

        assertThat(cancelled).isTrue();
        assertThat(output).containsOnlyOnce(EVICTS).contains("ERROR", "the next start of the application fails");
    }
}
