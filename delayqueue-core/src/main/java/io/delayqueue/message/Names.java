package io.delayqueue.message;

import io.delayqueue.Internal;
import org.springframework.util.Assert;

/** Checks topics, ids and keys. */
@Internal
public final class Names {

    private Names() {}

    /**
     * Checks the name of a topic.
     *
     * @return the name
     * @throws IllegalArgumentException if the name is blank, longer than 128 bytes or contains an unpaired surrogate
     */
    public static String checkTopic(String topic) {
        return check("topic", "topic", topic, DelayMessage.MAX_TOPIC_BYTES);
    }

    /**
     * Checks an id.
     *
     * @return the id
     * @throws IllegalArgumentException if the id is blank, longer than 256 bytes or contains an unpaired surrogate
     */
    public static String checkId(String id) {
        return check("id", "message id", id, DelayMessage.MAX_ID_BYTES);
    }

    /**
     * Checks a key.
     *
     * @return the key
     * @throws IllegalArgumentException if the key is blank, longer than 256 bytes or contains an unpaired surrogate
     */
    public static String checkKey(String key) {
        return check("key", "message key", key, DelayMessage.MAX_ID_BYTES);
    }

    private static String check(String name, String what, String value, int max) {
        Assert.notNull(value, () -> "'" + name + "' must not be null");
        if (value.isBlank()) {
            throw new IllegalArgumentException("A " + what + " must not be blank");
        }
        int length = Utf8.length(value);
        if (length < 0) {
            throw new IllegalArgumentException(
                    "A " + what + " must not contain an unpaired surrogate: " + Printable.of(value));
        }
        if (length > max) {
            throw new IllegalArgumentException("A " + what + " must have at most " + max
                    + " bytes of UTF-8, but this one has " + length + ": " + Printable.of(value));
        }
        return value;
    }
}
