package io.delayqueue.web.api.response;

import java.util.List;

/**
 * The results of several settlements.
 *
 * @param results one result per settlement, in the order of the request
 */
public record SettleAllResponse(List<SettleResponse> results) {

    /** Copies the results. */
    public SettleAllResponse {
        results = List.copyOf(results);
    }
}
