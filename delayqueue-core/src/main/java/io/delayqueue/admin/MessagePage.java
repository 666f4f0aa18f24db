package io.delayqueue.admin;

import io.delayqueue.message.MessageSnapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of live messages. It may have fewer messages than requested, or none, although another page follows.
 *
 * @param messages in the order of their view
 * @param next identifies the next page, letters, digits, dots, dashes and underscores; null if this is the last page
 */
public record MessagePage(
        List<MessageSnapshot> messages, @Nullable String next) {}
