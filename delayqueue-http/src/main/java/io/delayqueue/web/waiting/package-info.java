/**
 * Connections of HTTP clients: reads bodies up to a size and a time, ends requests with an unread body, and limits the
 * number of waiting clients. Read next: {@link io.delayqueue.web.waiting.LongPolls}.
 */
@Internal
@NullMarked
package io.delayqueue.web.waiting;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
