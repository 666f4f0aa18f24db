package io.delayqueue.admin;

import io.delayqueue.message.MessageSnapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of live messages. It may hold fewer than were asked for, even none, while another one follows.
 *
 * @param messages in the order of their view
 * @param next by which to ask for the page that follows, letters, digits, dots, dashes and underscores; null if there is
 *     none
 */
public record MessagePage(
        List<MessageSnapshot> messages, @Nullable String next) {}
