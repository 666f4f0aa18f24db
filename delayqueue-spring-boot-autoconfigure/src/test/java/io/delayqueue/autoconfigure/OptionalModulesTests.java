package io.delayqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The optional artifacts are not on the class path of this module's tests. */
class OptionalModulesTests {

    @Test
    void httpInterfacesRequireTheirArtifact() {
        startFails(
                "delayqueue.http.api.enabled requires the dependency io.delayqueue:delayqueue-http,",
                "delayqueue.http.api.enabled=true");
        startFails(
                "delayqueue.http.compat.enabled requires the dependency io.delayqueue:delayqueue-http,",
                "delayqueue.http.compat.enabled=true");
    }

    @Test
    void forwardsRequireTheirArtifact() {
        startFails(
                "delayqueue.forward requires the dependency io.delayqueue:delayqueue-forward,",
                "delayqueue.forward[0].topic=a",
                "delayqueue.forward[0].to=kafka");
    }

    @Test
    void theOutboxRequiresItsArtifact() {
        startFails(
                "delayqueue.outbox.enabled requires the dependency io.delayqueue:delayqueue-jdbc,",
                "delayqueue.outbox.enabled=true");
    }

    @Test
    void propertiesOfIdempotentListenersRequireTheirArtifact() {
        startFails(
                "delayqueue.once requires the dependency io.delayqueue:delayqueue-jdbc,",
                "delayqueue.once.retention=14d");
    }

    private static void startFails(String sentence, String... properties) {
        QueueContexts.withoutRedis()
                .withPropertyValues(properties)
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining(sentence));
    }
}
