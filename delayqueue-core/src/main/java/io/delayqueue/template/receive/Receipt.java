package io.delayqueue.template.receive;

import io.delayqueue.Internal;
import io.delayqueue.message.Names;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The receipt with which any process can settle a delivery. Its text is the base64url of the topic, the base64url of the
 * id, and the part that identifies the delivery, separated by dots. It is valid as a JSON string and as a path segment.
 *
 * @param topic topic of the message
 * @param id id of the message
 * @param delivery identifies the delivery
 */
@Internal
public record Receipt(String topic, String id, String delivery) {

    /** Regular expression of receipts. It does not check that the topic and the id are valid. */
    public static final String SYNTAX = "([0-9A-Za-z_-]{1,171})\\.([0-9A-Za-z_-]{1,342})\\.([0-9A-Za-z.-]{1,150})";

    private static final Pattern PATTERN = Pattern.compile(SYNTAX);

    /** Parses the text of a receipt. Returns null if the text is not one. */
    public static @Nullable Receipt parse(String text) {
        Matcher matcher = PATTERN.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        try {
            return new Receipt(
                    Names.checkTopic(decoded(matcher.group(1))),
                    Names.checkId(decoded(matcher.group(2))),
                    matcher.group(3));
        } catch (IllegalArgumentException | CharacterCodingException e) {
            return null;
        }
    }

    private static String decoded(String base64) throws CharacterCodingException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(Base64.getUrlDecoder().decode(base64)))
                .toString();
    }

    private static String encoded(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return encoded(topic) + "." + encoded(id) + "." + delivery;
    }
}
