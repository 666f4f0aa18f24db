package io.delayqueue.web.api.response;

import org.jspecify.annotations.Nullable;

/**
 * The result of a settlement.
 *
 * @param topic topic of the message
 * @param id id of the message
 * @param outcome settled, or the type of the problem: lease-lost (the message is not live under this lease; nothing
 *     changed), outcome-unknown, unavailable or failed
 * @param reason why the message was not settled, or why the outcome is unknown
 */
public record SettleResponse(
        String topic, String id, String outcome, @Nullable String reason) {

    /**
     * Creates the response of a settlement.
     *
     * @param problem null if the message was settled
     */
    public static SettleResponse of(String topic, String id, @Nullable Problem problem) {
        return problem == null
                ? new SettleResponse(topic, id, "settled", null)
                : new SettleResponse(topic, id, problem.shortType(), problem.detail());
    }
}
