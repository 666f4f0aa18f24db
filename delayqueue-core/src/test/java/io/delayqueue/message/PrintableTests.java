package io.delayqueue.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableTests {

    @ParameterizedTest
    @ValueSource(strings = {"", "4711", "order 4711/a", "grün 🌍 \\n", "日本語"})
    void printableTextStaysAsItIs(String text) {
        assertThat(Printable.of(text)).isSameAs(text);
    }

    @ParameterizedTest
    @CsvSource({
        "'a\nERROR forged', a\\nERROR forged",
        "'a\r\tb', a\\r\\tb",
        "'\u001b[31mred\u0000', \\u001b[31mred\\u0000",
        "'a\u2028b\u2029c\u0085d', a\\u2028b\\u2029c\\u0085d",
        "'abc\u202Efed', abc\\u202efed",
    })
    void whatATerminalWouldActOnIsEscaped(String text, String printable) {
        assertThat(Printable.of(text)).isEqualTo(printable);
    }

    @Test
    void halfASurrogatePairIsEscaped() {
        assertThat(Printable.of("a\ud83d")).isEqualTo("a\\ud83d");
    }

    @Test
    void longTextIsCutAndItsLengthTold() {
        assertThat(Printable.of("x".repeat(256))).hasSize(256);
        assertThat(Printable.of("x".repeat(1_000_000))).isEqualTo("x".repeat(256) + "… (1000000 characters)");
        assertThat(Printable.of("x".repeat(255) + "🌍")).isEqualTo("x".repeat(255) + "… (257 characters)");
        assertThat(Printable.of("\n".repeat(300))).isEqualTo("\\n".repeat(128) + "… (300 characters)");
    }

    @Test
    void anExceptionNeverHoldsMoreThanThat() {
        String id = "a\n" + "x".repeat(300_000);
        assertThatThrownBy(() -> Names.checkId(id))
                .hasMessageContaining("300002")
                .hasMessageContaining("a\\nxxx")
                .hasMessageNotContaining("\n")
                .satisfies(thrown -> assertThat(thrown.getMessage()).hasSizeLessThan(400));
        assertThatThrownBy(() -> Names.checkTopic(id + "\ud83d"))
                .hasMessageNotContaining("\n")
                .satisfies(thrown -> assertThat(thrown.getMessage()).hasSizeLessThan(400));
    }
}
