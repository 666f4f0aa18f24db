package io.delayqueue.kotlin

import io.delayqueue.annotation.DelayListener
import io.delayqueue.annotation.InvalidListenerException
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.emptyFlow
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.springframework.boot.SpringApplication
import java.io.File
import java.util.concurrent.TimeUnit
import kotlin.reflect.KClass

/** Mistakes fail the start of an application. */
class StartTests {

    class Streaming {
        @DelayListener("streaming")
        fun stream(payload: String): Flow<String> = emptyFlow()
    }

    class SuspendedStreaming {
        @DelayListener("streaming")
        suspend fun stream(payload: String): Flow<String> = emptyFlow()
    }

    class Defaulted {
        @DelayListener("defaulted")
        suspend fun handle(payload: String, count: Int = 1) {}
    }

    @Test
    fun listenerThatReturnsAFlowIsRejected() {
        assertStartFails(Streaming::class, "stream of many values")
        assertStartFails(SuspendedStreaming::class, "stream of many values")
    }

    @Test
    fun parameterWithADefaultIsASecondPayload() {
        assertStartFails(Defaulted::class, "String payload", "int count", "both take the payload")
    }

    @ParameterizedTest
    @ValueSource(strings = ["kotlinx-coroutines-reactor", "kotlin-reflect"])
    fun suspendFunctionNeedsALibrary(missing: String, @TempDir directory: File) {
        val classPath = System.getProperty("java.class.path").split(File.pathSeparator)
            .filterNot { File(it).name.matches(Regex("$missing-[0-9].*")) }
            .joinToString(File.pathSeparator)
        val output = File(directory, "output")
        val process = ProcessBuilder(
            "${System.getProperty("java.home")}/bin/java", "-cp", classPath,
            "-XX:TieredStopAtLevel=1", "io.delayqueue.kotlin.KotlinApplicationKt",
        ).redirectErrorStream(true).redirectOutput(output).start()
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).describedAs("it ends").isTrue()
            assertThat(process.exitValue()).isEqualTo(1)
            assertThat(output.readText()).contains("It is a suspend function, and a library that suspend functions need is missing.")
        } finally {
            process.destroyForcibly()
        }
    }

    private fun assertStartFails(listener: KClass<*>, vararg reason: String) {
        assertThatThrownBy { SpringApplication.run(arrayOf(KotlinApplication::class.java, listener.java), arrayOf()).close() }
            .isInstanceOf(InvalidListenerException::class.java)
            .hasMessageContainingAll(*reason)
    }
}
