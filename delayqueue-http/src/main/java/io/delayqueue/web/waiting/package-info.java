/**
 * Connections of HTTP clients: reads bodies up to a size, limits the number of waiting clients, detects disconnected
 * clients, and ends requests with an unread body. Read next: {@link io.delayqueue.web.waiting.LongPolls}.
 */
@Internal
@NullMarked
package io.delayqueue.web.waiting;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
