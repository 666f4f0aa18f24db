package io.delayqueue.store.script;

import io.delayqueue.message.TopicLimits;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The limits in the registration of a topic.
 *
 * @param declared limits that the properties of nodes declare; null if none do
 * @param set limits that were set at run time, which take precedence; null if none were
 */
public record RegisteredLimits(
        @Nullable TopicLimits declared, @Nullable TopicLimits set) {

    /** The limits of a topic without limits. */
    public static final RegisteredLimits NONE = new RegisteredLimits(null, null);

    private static final Pattern TEXT = Pattern.compile("(?: c(\\S+ \\S+ \\S+))?(?: s(\\S+ \\S+ \\S+))?");

    /** The limits in effect: those that were set, else those that are declared, else none. */
    public TopicLimits effective() {
        return set != null ? set : declared != null ? declared : TopicLimits.NONE;
    }

    /** The text that follows shard count and epoch in the registry. */
    String text() {
        return (declared == null ? "" : " c" + declared.text()) + (set == null ? "" : " s" + set.text());
    }

    /** Parses {@link #text()}; null if this version cannot read it. */
    static @Nullable RegisteredLimits parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            return null;
        }
        try {
            String declared = parts.group(1);
            String set = parts.group(2);
            return new RegisteredLimits(
                    declared == null ? null : TopicLimits.parse(declared), set == null ? null : TopicLimits.parse(set));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
