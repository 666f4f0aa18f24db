package io.delayqueue.web.api.response;

import io.delayqueue.template.receive.LeasedDelivery;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Received messages.
 *
 * @param messages messages of one topic; empty if no message became due in time
 * @param results one result per settlement, in the order of the request; omitted if the request has no settlements
 */
public record ReceiveResponse(
        List<DeliveryResponse> messages, @Nullable List<SettleResponse> results) {

    /** Creates the response of a request. */
    public static ReceiveResponse of(List<LeasedDelivery> deliveries, List<SettleResponse> results) {
        return new ReceiveResponse(
                deliveries.stream().map(DeliveryResponse::of).toList(), results.isEmpty() ? null : results);
    }
}
