package io.delayqueue.web.api.request;

import io.delayqueue.message.Names;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.web.api.json.Formats;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The receipt by which a client settles a message that it received. Its text is the base64url of the topic, the base64url
 * of the id, and the receipt of the Java API, separated by dots. It is valid as a JSON string and as a path segment.
 *
 * @param topic topic of the message
 * @param id id of the message
 * @param delivery the receipt of the Java API, which identifies the delivery
 */
public record HttpReceipt(String topic, String id, String delivery) {

    /** Regular expression of receipts. It does not check that the topic and the id are valid. */
    public static final String SYNTAX = "([0-9A-Za-z_-]{1,171})\\.([0-9A-Za-z_-]{1,342})\\.([0-9A-Za-z.-]{1,150})";

    private static final Pattern PATTERN = Pattern.compile(SYNTAX);

    /** Returns the receipt of a delivery. */
    public static HttpReceipt of(LeasedDelivery delivery) {
        return new HttpReceipt(delivery.topic(), delivery.id(), delivery.receipt());
    }

    /** Parses the text of a receipt. Returns null if the text is not one. */
    public static @Nullable HttpReceipt parse(String text) {
        Matcher matcher = PATTERN.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        try {
            return new HttpReceipt(
                    Names.checkTopic(Formats.ofBase64Url(matcher.group(1))),
                    Names.checkId(Formats.ofBase64Url(matcher.group(2))),
                    matcher.group(3));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    @Override
    public String toString() {
        return Formats.base64Url(topic) + "." + Formats.base64Url(id) + "." + delivery;
    }
}
