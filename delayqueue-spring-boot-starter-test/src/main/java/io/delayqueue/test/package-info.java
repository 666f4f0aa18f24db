/**
 * Support for tests of applications that use the delay queue: begin with {@link io.delayqueue.test.DelayQueueHarness}.
 *
 * <p>A real Redis comes from {@code autoconfigure} for Spring Boot tests and from {@code junit} for others; {@code redis}
 * starts, stops and hinders servers.
 */
@NullMarked
package io.delayqueue.test;

import org.jspecify.annotations.NullMarked;
