package io.delayqueue.web.api.request;

import io.delayqueue.web.api.json.Fields;

/** Nothing, or an object without fields. */
public record EmptyRequest() implements ApiRequest {

    static EmptyRequest read(Fields fields) {
        fields.end();
        return new EmptyRequest();
    }
}
