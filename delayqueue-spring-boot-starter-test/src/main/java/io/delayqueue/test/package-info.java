/**
 * Support for tests of applications that use the delay queue. Read next: {@link io.delayqueue.test.DelayQueueHarness}.
 *
 * <p>{@code autoconfigure} provides a real Redis for Spring Boot tests, {@code junit} for other tests. {@code redis}
 * starts and stops servers and injects faults.
 */
@NullMarked
package io.delayqueue.test;

import org.jspecify.annotations.NullMarked;
