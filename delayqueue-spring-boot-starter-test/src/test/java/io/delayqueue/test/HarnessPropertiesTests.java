package io.delayqueue.test;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.test.autoconfigure.TestRedisMode;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

class HarnessPropertiesTests {

    @Test
    void propertyOfTheTestRedisHasMetadata() throws Exception {
        InputStream metadata = HarnessProperties.class
                .getClassLoader()
                .getResourceAsStream("META-INF/spring-configuration-metadata.json");
        assertThat(metadata).isNotNull();
        assertThat(new String(metadata.readAllBytes(), UTF_8))
                .contains("\"delayqueue-test.redis\"", TestRedisMode.class.getName());
    }
}
