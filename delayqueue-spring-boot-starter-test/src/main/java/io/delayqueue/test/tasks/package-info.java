/**
 * Manual execution of the engine's tasks, for tests that control when the queue works.
 *
 * <p>Applications use it through {@link io.delayqueue.test.DelayQueueHarness}.
 */
@Internal
@NullMarked
package io.delayqueue.test.tasks;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
