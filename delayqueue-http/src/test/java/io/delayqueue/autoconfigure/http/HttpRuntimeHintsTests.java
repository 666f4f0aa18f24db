package io.delayqueue.autoconfigure.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.catalina.connector.RequestFacade;
import org.apache.coyote.AbstractProcessor;
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

    @Test
    void membersOfTomcatAreRegistered() throws Exception {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onFieldAccess(RequestFacade.class.getDeclaredField("request"))
                        .and(RuntimeHintsPredicates.reflection()
                                .onFieldAccess(org.apache.coyote.Request.class.getDeclaredField("hook")))
                        .and(RuntimeHintsPredicates.reflection()
                                .onMethodInvocation(AbstractProcessor.class.getDeclaredMethod("getSocketWrapper"))))
                .accepts(hints);
    }
}
