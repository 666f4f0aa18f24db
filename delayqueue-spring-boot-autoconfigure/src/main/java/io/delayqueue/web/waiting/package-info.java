/**
 * Clients of the HTTP doors that wait for messages: how many there are, and which of them have hung up. Read next:
 * {@link io.delayqueue.web.waiting.LongPolls}.
 */
@NullMarked
package io.delayqueue.web.waiting;

import org.jspecify.annotations.NullMarked;
