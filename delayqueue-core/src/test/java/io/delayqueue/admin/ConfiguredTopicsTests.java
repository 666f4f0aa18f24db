package io.delayqueue.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.template.RedisTest;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The log names configured topics that nobody knows. */
@ExtendWith(OutputCaptureExtension.class)
class ConfiguredTopicsTests extends RedisTest {

    @Test
    void unknownTopicIsNamedOnceWithTheNearestName(CapturedOutput output) {
        queue.template().send("order-cancel", "p");
        queue.template().send("invoices", "p");
        ConfiguredTopics topics = new ConfiguredTopics(
                Set.of("ordercancel", "order-cancel", "payments"), queue.topics, () -> List.of("payments"), () -> 0);

        assertThat(topics.run()).isEqualTo(ConfiguredTopics.DELAY);
        assertThat(output).doesNotContain("delayqueue.topics[");
        assertThat(topics.run()).isGreaterThan(ConfiguredTopics.DELAY);
        assertThat(output)
                .containsOnlyOnce("delayqueue.topics[")
                .contains("delayqueue.topics[ordercancel]", "nearest name is order-cancel");
    }
}
