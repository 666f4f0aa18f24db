package io.delayqueue.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.store.Listing.Place;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A position in a view of a topic's messages. It refers to a message and not to a number of messages, so that it
 * stays correct when other messages are added or removed.
 */
record MessageCursor(MessageView view, Place place) {

    private static final Pattern TEXT = Pattern.compile("([SRL])\\.([0-9a-z]{1,11})\\.([A-Za-z0-9_-]*)");
    private static final int RADIX = 36;

    static MessageCursor parse(MessageView view, String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches() || !matcher.group(1).equals(initial(view))) {
            throw new IllegalArgumentException("Not a page of " + view + " messages: " + text);
        }
        try {
            long millis = Long.parseLong(matcher.group(2), RADIX);
            String id = new String(Base64.getUrlDecoder().decode(matcher.group(3)), UTF_8);
            return new MessageCursor(view, new Place(millis, id));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("Not a page of " + view + " messages: " + text, e);
        }
    }

    String text() {
        byte[] id = place.id().getBytes(UTF_8);
        return initial(view)
                + '.'
                + Long.toString(place.millis(), RADIX)
                + '.'
                + Base64.getUrlEncoder().withoutPadding().encodeToString(id);
    }

    private static String initial(MessageView view) {
        return view.name().substring(0, 1);
    }
}
