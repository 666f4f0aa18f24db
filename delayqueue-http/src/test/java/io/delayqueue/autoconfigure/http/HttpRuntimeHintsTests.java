package io.delayqueue.autoconfigure.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.catalina.connector.RequestFacade;
import org.eclipse.jetty.ee11.servlet.HttpInput;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.security.core.Authentication;

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

    /** ClassUtils.isPresent finds only registered types in a native image. */
    @Test
    void typesThatMayBeAbsentAreRegistered() {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(HttpInput.class)
                        .and(RuntimeHintsPredicates.reflection().onType(Authentication.class))
                        .and(RuntimeHintsPredicates.reflection().onType(RequestFacade.class)))
                .accepts(hints);
    }
}
