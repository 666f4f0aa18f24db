package io.delayqueue.web.api.request;

/** An empty body, or an object without fields. */
public record EmptyRequest() implements ApiRequest {}
