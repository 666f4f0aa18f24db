package io.delayqueue.autoconfigure.http;

import static io.delayqueue.autoconfigure.http.HttpMeter.Key.CLIENT;
import static io.delayqueue.autoconfigure.http.HttpMeter.Key.INTERFACE;
import static io.delayqueue.autoconfigure.http.HttpMeter.Key.OPERATION;
import static io.delayqueue.autoconfigure.http.HttpMeter.Key.REASON;
import static io.delayqueue.autoconfigure.http.HttpMeter.Key.STATUS;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** The meters of the HTTP interfaces. They count the requests of one process. */
enum HttpMeter implements MeterDocumentation {
    REQUESTS(
            "delayqueue.http.requests",
            Meter.Type.TIMER,
            "Time from the begin of a request to the end of its response, including the wait for messages.",
            INTERFACE,
            OPERATION,
            STATUS,
            CLIENT),
    REJECTED(
            "delayqueue.http.rejected",
            Meter.Type.COUNTER,
            "Requests that were rejected before they were executed.",
            CLIENT,
            REASON),
    WAITING("delayqueue.http.waiting", Meter.Type.GAUGE, "Requests that wait for messages on this node."),
    WAITING_MAX(
            "delayqueue.http.waiting.max",
            Meter.Type.GAUGE,
            "Maximum number of requests that may wait for messages on this node.");

    private final String meterName;
    private final Meter.Type type;
    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // never modified; getKeyNames() returns a copy
    private final Key[] keys;

    HttpMeter(String meterName, Meter.Type type, String description, Key... keys) {
        this.meterName = meterName;
        this.type = type;
        this.description = description;
        this.keys = keys;
    }

    @Override
    public String getName() {
        return meterName;
    }

    @Override
    public Meter.Type getType() {
        return type;
    }

    @Override
    public KeyName[] getKeyNames() {
        return keys.clone();
    }

    /** The description, one sentence. */
    String description() {
        return description;
    }

    /** The tags of a meter, with values in the order of their keys. */
    List<Tag> tags(String... values) {
        return IntStream.range(0, keys.length)
                .mapToObj(i -> Tag.of(keys[i].asString(), values[i]))
                .toList();
    }

    /** The tags of meters. */
    enum Key implements KeyName {
        /** api or compat. */
        INTERFACE,
        /** The operationId of the OpenAPI document, or push, pop, finish, delete or get; none if no interface handled it. */
        OPERATION,
        /** The class of the HTTP status: 2xx, 4xx or 5xx. */
        STATUS,
        /** The name of the configured client; none for all others. */
        CLIENT,
        /** A {@link io.delayqueue.web.guard.RejectionReason}. */
        REASON;

        @Override
        public String asString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
