/**
 * The Redis server itself: which one it is, and whether its settings endanger messages.
 *
 * <p>Row 1, as all of {@code redis}. Read next: {@link io.delayqueue.redis.server.ServerProbe}.
 */
@NullMarked
package io.delayqueue.redis.server;

import org.jspecify.annotations.NullMarked;
