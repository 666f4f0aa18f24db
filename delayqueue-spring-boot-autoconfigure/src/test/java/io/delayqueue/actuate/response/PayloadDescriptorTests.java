package io.delayqueue.actuate.response;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadDescriptorTests {

    @ParameterizedTest
    @ValueSource(strings = {"", "text", "{\"a\": \"ünï\"}", "lines\r\n\tof text", "消息 \uD83D\uDE00"})
    void utf8IsShownAsText(String text) {
        PayloadDescriptor payload = PayloadDescriptor.of(text.getBytes(UTF_8), true);

        assertThat(payload).isEqualTo(new PayloadDescriptor(text, null, text.getBytes(UTF_8).length, false, false));
    }

    @Test
    void otherBytesAreShownInBase64() {
        for (byte[] bytes : new byte[][] {{(byte) 0xff}, {'a', 0}, {(byte) 0xc3}, {27, '['}}) {
            PayloadDescriptor payload = PayloadDescriptor.of(bytes, true);

            assertThat(payload.text()).isNull();
            assertThat(Base64.getDecoder().decode(payload.base64())).isEqualTo(bytes);
            assertThat(payload.bytes()).isEqualTo(bytes.length);
        }
    }

    /** Characters of one to four bytes, shifted so that the limit falls on each of their bytes. */
    @ParameterizedTest
    @ValueSource(strings = {"a", "ü", "消", "\uD83D\uDE00"})
    void longTextIsTruncatedBetweenCharacters(String character) {
        for (int shift = 0; shift < 4; shift++) {
            String text = "x".repeat(shift) + character.repeat(PayloadDescriptor.MAX_BYTES + 1);

            PayloadDescriptor payload = PayloadDescriptor.of(text.getBytes(UTF_8), true);

            assertThat(text).startsWith(payload.text());
            assertThat(payload.text().getBytes(UTF_8).length)
                    .isBetween(PayloadDescriptor.MAX_BYTES - 3, PayloadDescriptor.MAX_BYTES);
            assertThat(payload.truncated()).isTrue();
        }
    }

    @Test
    void longBytesAreTruncated() {
        byte[] bytes = new byte[20_000];

        PayloadDescriptor payload = PayloadDescriptor.of(bytes, true);

        assertThat(Base64.getDecoder().decode(payload.base64())).hasSize(PayloadDescriptor.MAX_BYTES);
        assertThat(payload.bytes()).isEqualTo(20_000);
        assertThat(payload.truncated()).isTrue();
    }

    @Test
    void hiddenPayloadShowsOnlyItsSize() {
        assertThat(PayloadDescriptor.of("secret".getBytes(UTF_8), false))
                .isEqualTo(new PayloadDescriptor(null, null, 6, false, true));
    }
}
