package io.delayqueue.sample;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.TestPropertySource;

/** The application with the profiles {@code forward} and {@code http}. */
@Retention(RetentionPolicy.RUNTIME)
@SampleTest
@ActiveProfiles({"forward", "http"})
@Import(EmbeddedBroker.class)
@TestPropertySource(properties = {"delayqueue.namespace=sample-profiles", "sample.warehouse.pack-after=1h"})
public @interface ProfilesTest {}
