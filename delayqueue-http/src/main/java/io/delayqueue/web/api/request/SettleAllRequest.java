package io.delayqueue.web.api.request;

import java.util.List;

/**
 * Settles several received messages, also of different topics.
 *
 * @param settlements 1 to delayqueue.http.api.max-count settlements
 */
public record SettleAllRequest(List<SettleRequest> settlements) implements ApiRequest {

    /** Copies the settlements. */
    public SettleAllRequest {
        settlements = ApiRequest.nonEmpty("settlements", settlements);
    }
}
