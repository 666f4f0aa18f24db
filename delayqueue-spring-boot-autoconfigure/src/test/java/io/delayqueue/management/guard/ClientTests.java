package io.delayqueue.management.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientTests {

    private static Client client(String... topics) {
        return new Client("shop", List.of(), Set.of(Permission.PRODUCE), List.of(topics), null, null, System::nanoTime);
    }

    @ParameterizedTest
    @CsvSource({
        "order-*, order-cancel, true",
        "order-*, order-, true",
        "order-*, order, false",
        "order-*, reorder-1, false",
        "order-*, Order-1, false",
        "*-eu, order-eu, true",
        "*-eu, order-eu-2, false",
        "order-*-eu, order-1-2-eu, true",
        "order.eu, orderxeu, false",
        "order?, order1, false",
        "[a], a, false",
        "a*a, a, false",
        "*, anything at all, true",
        "refunds, refunds, true",
        "refunds, refunds2, false"
    })
    void patternPermitsTopics(String pattern, String topic, boolean permitted) {
        assertThat(client("other", pattern).permits(topic)).isEqualTo(permitted);
    }

    @Test
    void rejectionNamesTheTopicAndTheProperty() {
        assertThatThrownBy(() -> client("order-*").requireTopic("refunds\n2"))
                .isInstanceOfSatisfying(
                        AccessDeniedException.class,
                        denied -> assertThat(denied.rejection().status()).isEqualTo(403))
                .hasMessage("Client 'shop' has no access to topic 'refunds\\n2'. Use a topic that"
                        + " delayqueue.http.clients.shop.topics permits, or add this one.");
    }

    /** A text that is no topic is not compared, because comparing it with such a pattern takes hours. */
    @Test
    void longTextIsNotPermitted() {
        assertThat(client("a*a*a*a*a*a*a*a*b").permits("a".repeat(1_000_000))).isFalse();
    }

    @Test
    void userHasAccessToAllTopicsWithoutLimits() {
        Client user = Client.ofUser(() -> "anna");

        assertThat(user.isLimitedToTopics()).isFalse();
        assertThatCode(() -> user.requireTopic("any")).doesNotThrowAnyException();
        assertThat(user.isWithinRateLimit()).isTrue();
        assertThat(user.beginWait()).isTrue();
    }
}
