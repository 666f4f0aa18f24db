package io.delayqueue.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.delayqueue.test.redis.RedisServerProcess;
import org.junit.jupiter.api.Test;

class LuaScriptTests {

    @Test
    void includesAreReplacedByTheirText() {
        LuaScript script = LuaScript.beside(LuaScriptTests.class, "including");

        assertThat(script.name()).isEqualTo("including");
        assertThat(script.text())
                .contains("local function double(n)", "return { double")
                .doesNotContain("@include");
    }

    @Test
    void digestIsTheOneThatRedisComputes() {
        LuaScript script = LuaScript.beside(LuaScriptTests.class, "including");

        try (RedisServerProcess redis = RedisServerProcess.start()) {
            assertThat(redis.command("SCRIPT", "LOAD", script.text())).isEqualTo(script.sha1());
        }
    }

    @Test
    void missingScriptIsNamed() {
        assertThatIllegalStateException()
                .isThrownBy(LuaScript.beside(LuaScriptTests.class, "nowhere")::text)
                .withMessageContaining("nowhere.lua");
    }
}
