package io.delayqueue.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnvelopeTests {

    private static final Instant SENT = Instant.ofEpochMilli(1_764_000_000_123L);

    @ParameterizedTest
    @CsvSource({
        "-, -",
        "k2j4h1x9, k2j4h1x9",
        "n0000000000000005, n0000000000000005.1764000000123",
        "n000000000000000, n000000000000000",
        "n000000000000000a, n000000000000000a",
        "n00000000000000005, n00000000000000005"
    })
    void theNonceIdentifiesTheSendUnlessItIsAVersion(String nonce, String sendId) {
        Envelope envelope =
                new Envelope(SENT, SENT.plusSeconds(1), nonce, MessageLimits.NONE, null, null, Map.of(), new byte[0]);

        assertThat(envelope.sendId()).isEqualTo(sendId);
    }
}
