package io.delayqueue.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Utf8Tests {

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "\u007f\u0080", "\u07ff\u0800", "\uffff", "a\ud83d\ude00b", "\ud83d\ude00"})
    void lengthIsThatOfTheEncodedText(String text) {
        assertThat(Utf8.length(text)).isEqualTo(text.getBytes(UTF_8).length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud83d", "\ude00", "a\ud83d", "\ud83da", "\ude00\ud83d", "\ud83d\ud83d\ude00"})
    void unpairedSurrogateHasNoLength(String text) {
        assertThat(Utf8.length(text)).isEqualTo(-1);
    }
}
