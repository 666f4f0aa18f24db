/**
 * Reads the version and settings of the Redis server, to detect settings that endanger messages.
 *
 * <p>Read next: {@link io.delayqueue.redis.server.ServerProbe}.
 */
@Internal
@NullMarked
package io.delayqueue.redis.server;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
