package io.delayqueue.kotlin

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import java.io.File

/** The code in docs/kotlin.md is that of this application. */
class DocumentationTests {

    @Test
    fun codeOfThePageIsCompiled() {
        val sources = File("src/test/kotlin").walk().filter { it.extension == "kt" }.map { trimmed(it.readText()) }.toList()
        val blocks = Regex("```kotlin\n(.*?)```", RegexOption.DOT_MATCHES_ALL)
            .findAll(File("../../docs/kotlin.md").readText())
            .map { trimmed(it.groupValues[1]) }
            .toList()

        assertThat(blocks).hasSizeGreaterThan(3).allMatch { block -> sources.any { it.contains(block) } }
    }

    private fun trimmed(code: String) = code.trim().lines().joinToString("\n") { it.trim() }
}
