package io.delayqueue.kotlin

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import java.io.File

/** The code in docs/kotlin.md is that of this application. */
class DocumentationTests {

    private val page = File("../../docs/kotlin.md").readText()

    @Test
    fun codeOfThePageIsCompiled() {
        val sources = File("src/test/kotlin").walk().filter { it.extension == "kt" }.map { trimmed(it.readText()) }.toList()
        val blocks = Regex("```kotlin\n(.*?)```", RegexOption.DOT_MATCHES_ALL)
            .findAll(page)
            .map { trimmed(it.groupValues[1]) }
            .filterNot { it.contains("dependencies {") } // the build of Gradle
            .toList()

        assertThat(blocks).hasSizeGreaterThan(3).allMatch { block -> sources.any { it.contains(block) } }
    }

    @Test
    fun versionOfKotlinIsThatOfTheBuild() {
        val versions = Regex("kotlin\\(\"[a-z.]+\"\\) version \"([^\"]+)\"").findAll(page).map { it.groupValues[1] }.toList()

        assertThat(versions).hasSize(2).containsOnly(KotlinVersion.CURRENT.toString())
    }

    private fun trimmed(code: String) = code.trim().lines().joinToString("\n") { it.trim() }
}
