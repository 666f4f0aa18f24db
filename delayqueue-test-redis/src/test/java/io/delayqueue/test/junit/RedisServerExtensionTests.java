package io.delayqueue.test.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.test.redis.RedisServerProcess;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestClassOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs classes with each kind of server.
 */
@TestClassOrder(ClassOrderer.OrderAnnotation.class)
class RedisServerExtensionTests {

    private static RedisServerProcess shared;

    private static RedisServerProcess dedicated;

    @Nested
    @Order(1)
    @EmbeddedRedis
    class SharedServer {

        private final RedisServerProcess given;

        SharedServer(RedisServerProcess redis) {
            this.given = redis;
        }

        @Test
        void isGivenToConstructorsAndTests(RedisServerProcess redis) {
            shared = redis;
            assertThat(redis).isSameAs(this.given);
            assertThat(redis.command("SET", "key", "value")).isEqualTo("OK");
        }
    }

    @Nested
    @Order(2)
    @EmbeddedRedis
    class SharedServerOfAnotherClass {

        @BeforeAll
        static void isTheSameButEmptied(RedisServerProcess redis) {
            assertThat(redis).isSameAs(shared);
            assertThat(redis.command("DBSIZE")).isEqualTo(0L);
        }

        @Test
        void mayBeKilled(RedisServerProcess redis) {
            redis.kill();
        }
    }

    @Nested
    @Order(3)
    @ExtendWith(RedisServerExtension.class)
    class SharedServerWithoutAnnotation {

        @Test
        void isTheSameAndStartedAgain(RedisServerProcess redis) {
            assertThat(redis).isSameAs(shared);
            assertThat(redis.isRunning()).isTrue();
        }
    }

    @Nested
    @Order(4)
    @EmbeddedRedis(dedicated = true)
    class DedicatedServer {

        @Test
        void isAnother(RedisServerProcess redis) {
            dedicated = redis;
            assertThat(redis).isNotSameAs(shared);
            assertThat(redis.isRunning()).isTrue();
        }

        @Nested
        class InANestedClass {

            @Test
            void isTheSame(RedisServerProcess redis) {
                assertThat(redis).isSameAs(dedicated);
            }
        }
    }

    @Nested
    @Order(5)
    @EmbeddedRedis(settings = {"appendonly yes", "maxmemory 5mb"})
    class ServerWithSettings {

        @Test
        void isDedicated(RedisServerProcess redis) {
            assertThat(redis).isNotSameAs(shared);
            assertThat(redis.command("CONFIG", "GET", "appendonly")).isEqualTo(List.of("appendonly", "yes"));
            assertThat(redis.command("CONFIG", "GET", "maxmemory")).isEqualTo(List.of("maxmemory", "5242880"));
        }
    }

    @Nested
    @Order(6)
    class Afterwards {

        @Test
        void theDedicatedServerIsGoneAndTheSharedOneRuns() {
            assertThat(dedicated.isRunning()).isFalse();
            assertThat(shared.isRunning()).isTrue();
        }
    }
}
