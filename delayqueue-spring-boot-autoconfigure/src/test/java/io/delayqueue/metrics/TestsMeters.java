package io.delayqueue.metrics;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The meters of a test. {@link MeterTest} checks that the test has read a value above zero of each. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface TestsMeters {

    DelayQueueMeters[] value();
}
