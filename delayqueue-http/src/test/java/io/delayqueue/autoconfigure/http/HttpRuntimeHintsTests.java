package io.delayqueue.autoconfigure.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

class HttpRuntimeHintsTests {

    private final RuntimeHints hints = new RuntimeHints();

    HttpRuntimeHintsTests() {
        new HttpRuntimeHints().registerHints(hints, getClass().getClassLoader());
    }

    @Test
    void openApiDocumentIsRegistered() {
        assertThat(RuntimeHintsPredicates.resource().forResource("io/delayqueue/web/api/openapi.json"))
                .accepts(hints);
    }
}
