package io.delayqueue.web.api.request;

import io.delayqueue.template.receive.Receipt;
import io.delayqueue.web.api.json.InvalidRequestException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Settles a received message.
 *
 * @param receipt receipt of the message
 * @param action acknowledge, retry, postpone, let-others-pass, hold, dead-letter, extend or release
 * @param delay time until the next delivery, 0 to 3,650 d, for retry (by default 0), postpone and let-others-pass (required);
 *     1 ms to 1 h, for hold (required)
 * @param reason stored with the message or its dead letter; truncated to 500 characters; for retry and dead-letter only
 * @param lease duration of the lease from now, 1 s to 1 d; by default 30 s; for extend only
 */
public record SettleRequest(
        String receipt,
        SettleAction action,
        @Nullable Duration delay,
        @Nullable String reason,
        @Nullable Duration lease)
        implements ApiRequest {

    /** Checks the fields. */
    public SettleRequest {
        if (receipt == null) {
            throw InvalidRequestException.ofField("receipt", "is required. Set the receipt of a received message.");
        }
        if (Receipt.parse(receipt) == null) {
            throw InvalidRequestException.ofField(
                    "receipt", "must be the receipt of a received message, but was '" + receipt + "'.");
        }
        if (action == null) {
            throw InvalidRequestException.ofField(
                    "action",
                    "is required. Set \"acknowledge\", \"retry\", \"postpone\", \"let-others-pass\", \"hold\","
                            + " \"dead-letter\", \"extend\" or \"release\".");
        }
        boolean required = action == SettleAction.POSTPONE
                || action == SettleAction.LET_OTHERS_PASS
                || action == SettleAction.HOLD;
        boolean failed = action == SettleAction.RETRY || action == SettleAction.DEAD_LETTER;
        checkOnly(
                "delay",
                delay,
                required || action == SettleAction.RETRY,
                "the actions \"retry\", \"postpone\", \"let-others-pass\" and \"hold\"");
        checkOnly("reason", reason, failed, "the actions \"retry\" and \"dead-letter\"");
        checkOnly("lease", lease, action == SettleAction.EXTEND, "the action \"extend\"");
        if (required && delay == null) {
            throw InvalidRequestException.ofField("delay", "is required.");
        }
        boolean hold = action == SettleAction.HOLD;
        ApiRequest.checkRange("delay", delay, hold ? MIN_HOLD : Duration.ZERO, hold ? MAX_HOLD : MAX_DELAY);
        lease = action == SettleAction.EXTEND ? ReceiveRequest.leaseOrDefault(lease) : null;
    }

    /** Returns the receipt. */
    public Receipt parsedReceipt() {
        return Objects.requireNonNull(Receipt.parse(receipt));
    }

    private static void checkOnly(String field, @Nullable Object value, boolean permitted, String actions) {
        if (value != null && !permitted) {
            throw InvalidRequestException.ofField(field, "is permitted for " + actions + " only.");
        }
    }
}
