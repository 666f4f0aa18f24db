/**
 * Keeps ids unique across topics, and finds messages without their topic. An index maps an id to the topics in which it
 * may be live. The order of steps keeps the index correct although it and the topics may be on different Redis servers.
 *
 * <p>The entry of an id is written before a message is sent, so that it has every topic in which the id is live. Of
 * several pushes of an id the one with the greatest version wins. Versions increase with each push and are stored with
 * the message, so that a late push neither replaces nor cancels a later message.
 *
 * <p>Used by {@code web.compat}. Read next: {@link io.delayqueue.web.compat.ids.UniqueIds}, {@code entry.lua},
 * {@code operations.lua}.
 */
@Internal
@NullMarked
package io.delayqueue.web.compat.ids;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
