package io.delayqueue.web.api.request;

import io.delayqueue.web.api.json.Fields;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;

/** A body. */
public sealed interface ApiRequest
        permits BuryRequest,
                DueRequest,
                EmptyRequest,
                ExtendRequest,
                PullRequest,
                PurgeRequest,
                RetryRequest,
                SendAllRequest,
                SendRequest {

    /** The longest of all times, where nothing else says so. */
    Duration LONGEST = Duration.ofDays(365_250);

    /** How each is read; each throws {@link io.delayqueue.web.api.json.InvalidBodyException}. */
    Map<Class<? extends ApiRequest>, Function<Fields, ? extends ApiRequest>> READERS = Map.of(
            BuryRequest.class, BuryRequest::read,
            DueRequest.class, DueRequest::read,
            EmptyRequest.class, EmptyRequest::read,
            ExtendRequest.class, ExtendRequest::read,
            PullRequest.class, PullRequest::read,
            PurgeRequest.class, PurgeRequest::read,
            RetryRequest.class, RetryRequest::read,
            SendAllRequest.class, SendAllRequest::read,
            SendRequest.class, SendRequest::read);
}
