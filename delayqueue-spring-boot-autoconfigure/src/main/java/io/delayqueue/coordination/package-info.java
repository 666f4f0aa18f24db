/**
 * Which nodes there are, who of them watches which shard and which topics are paused on all of them; and the notion of a
 * step: work that says itself when it wants to be called next.
 *
 * <p>Row 2. Nothing here owns a thread: whoever runs steps lies in {@code container}.
 */
@NullMarked
package io.delayqueue.coordination;

import org.jspecify.annotations.NullMarked;
