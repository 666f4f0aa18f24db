package io.delayqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.autoconfigure.failure.StartFailedException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The optional artifacts are not on the class path of this module's tests. */
class OptionalModulesTests {

    @ParameterizedTest
    @CsvSource({
        "delayqueue.http.api.enabled=true, delayqueue.http.api.enabled, http",
        "delayqueue.http.compat.enabled=true, delayqueue.http.compat.enabled, http",
        "delayqueue.forward[0].topic=a;delayqueue.forward[0].to=kafka, delayqueue.forward, forward",
        "delayqueue.outbox.enabled=true, delayqueue.outbox.enabled, jdbc",
        "delayqueue.once.retention=14d, delayqueue.once, jdbc"
    })
    void propertiesRequireTheirArtifact(String properties, String named, String artifact) {
        QueueContexts.withoutRedis().withPropertyValues(properties.split(";")).run(context -> {
            assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining(
                            named + " requires the dependency io.delayqueue:delayqueue-" + artifact + ",");
            assertThat(context.getStartupFailure())
                    .extracting(failure -> ((StartFailedException) failure).action())
                    .asString()
                    .startsWith("Add the dependency io.delayqueue:");
        });
    }
}
