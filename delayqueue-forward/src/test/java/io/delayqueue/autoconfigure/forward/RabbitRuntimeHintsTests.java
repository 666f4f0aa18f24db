package io.delayqueue.autoconfigure.forward;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

class RabbitRuntimeHintsTests {

    private final RuntimeHints hints = new RuntimeHints();

    RabbitRuntimeHintsTests() {
        new RabbitRuntimeHints().registerHints(hints, getClass().getClassLoader());
    }

    @Test
    void addressesOfRabbitCanBeReadByReflection() throws Exception {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(AbstractConnectionFactory.class.getDeclaredMethod("getAddresses")))
                .accepts(hints);
    }
}
