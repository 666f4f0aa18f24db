/**
 * The engine's steps by hand, for tests that want nothing to happen by itself.
 *
 * <p>Applications use them through {@link io.delayqueue.test.DelayQueueHarness}.
 */
@NullMarked
package io.delayqueue.test.steps;

import org.jspecify.annotations.NullMarked;
