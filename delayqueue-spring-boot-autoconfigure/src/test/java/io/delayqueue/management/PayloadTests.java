package io.delayqueue.management;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadTests {

    @ParameterizedTest
    @ValueSource(strings = {"", "text", "{\"a\": \"ünï\"}", "lines\r\n\tof text", "消息 \uD83D\uDE00"})
    void utf8IsShownAsText(String text) {
        Payload payload = Payload.of(text.getBytes(UTF_8), Shown.BEGIN);

        assertThat(payload).isEqualTo(new Payload(null, text, null, null));
    }

    @Test
    void otherBytesAreShownInBase64() {
        for (byte[] bytes : new byte[][] {{(byte) 0xff}, {'a', 0}, {(byte) 0xc3}, {27, '['}}) {
            Payload payload = Payload.of(bytes, Shown.BEGIN);

            assertThat(payload.payloadText()).isNull();
            assertThat(Base64.getDecoder().decode(payload.payloadBase64())).isEqualTo(bytes);
            assertThat(payload.payloadBytes()).isNull();
        }
    }

    /** Characters of one to four bytes, shifted so that the limit falls on each of their bytes. */
    @ParameterizedTest
    @ValueSource(strings = {"a", "ü", "消", "\uD83D\uDE00"})
    void longTextIsTruncatedBetweenCharacters(String character) {
        for (int shift = 0; shift < 4; shift++) {
            String text = "x".repeat(shift) + character.repeat(Payload.MAX_BYTES + 1);

            Payload payload = Payload.of(text.getBytes(UTF_8), Shown.BEGIN);

            assertThat(text).startsWith(payload.payloadText());
            assertThat(payload.payloadText().getBytes(UTF_8).length)
                    .isBetween(Payload.MAX_BYTES - 3, Payload.MAX_BYTES);
            assertThat(payload.payloadBytes()).isEqualTo(text.getBytes(UTF_8).length);
        }
    }

    @Test
    void longBytesAreTruncated() {
        byte[] bytes = new byte[20_000];

        Payload payload = Payload.of(bytes, Shown.BEGIN);

        assertThat(Base64.getDecoder().decode(payload.payloadBase64())).hasSize(Payload.MAX_BYTES);
        assertThat(payload.payloadBytes()).isEqualTo(20_000);
    }

    @Test
    void hiddenPayloadShowsOnlyItsSize() {
        assertThat(Payload.of("secret".getBytes(UTF_8), Shown.SIZE)).isEqualTo(new Payload(null, null, null, 6));
    }
}
