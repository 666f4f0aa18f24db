package io.delayqueue.template;

import io.delayqueue.convert.ListenerTypes;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.convert.PayloadCodec.OnProblem;
import io.delayqueue.convert.PayloadConversionException;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Printable;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Writes the payloads of sends. The first payload of each class and topic is read back as its listener would read it,
 * because the listener is needed only when the message is due. Thread-safe.
 */
final class SentPayloads {

    private static final Log log = LogFactory.getLog(SentPayloads.class);

    /** Further topics without a listener in this process are not read back. */
    private static final int MAX_FORMS = 10_000;

    private final PayloadCodec codec;
    private final ListenerTypes listenerTypes;
    private final OnProblem onFailedReadBack;
    private final Map<Key, Form> forms = new ConcurrentHashMap<>();

    SentPayloads(PayloadCodec codec, ListenerTypes listenerTypes, OnProblem onFailedReadBack) {
        this.codec = codec;
        this.listenerTypes = listenerTypes;
        this.onFailedReadBack = onFailedReadBack;
    }

    private record Key(
            String topic, Class<?> payload, @Nullable Type given) {}

    /**
     * How payloads of a class are written for a topic.
     *
     * @param listeners the types of the listeners for which this was decided
     * @param type the type as which they are written; null if their class is sufficient
     */
    private record Form(List<Type> listeners, @Nullable Type type) {}

    /**
     * Writes the payload of a message.
     *
     * @throws PayloadConversionException if it can't be written, or can't be read and unreadable payloads are rejected
     */
    byte[] write(DelayMessage message) {
        Object payload = message.payload();
        if (payload instanceof String || payload instanceof byte[]) {
            return codec.write(payload);
        }
        List<Type> listeners = listenerTypes.of(message.topic());
        Key key = new Key(message.topic(), payload.getClass(), message.payloadType());
        Form form = forms.get(key);
        if (form != null && form.listeners == listeners) {
            return codec.write(payload, form.type);
        }
        return listeners.isEmpty() && forms.size() >= MAX_FORMS
                ? codec.write(payload, message.payloadType())
                : first(key, payload, listeners);
    }

    private byte[] first(Key key, Object payload, List<Type> listeners) {
        Type type = key.given;
        byte[] written = codec.write(payload, type);
        boolean decided = true;
        for (Type listener : listeners) {
            if (type == null && codec.needsType(payload, listener)) {
                byte[] typed = codec.write(payload, listener);
                if (Arrays.equals(typed, written)) {
                    decided = false; // such as an empty list; a later one decides
                } else if (problem(written, payload, listener) != null) {
                    // a payload that could be read without it keeps its form: other nodes may read it, too
                    type = listener;
                    written = typed;
                }
            }
        }
        PayloadConversionException problem = problem(written, payload, key.given, listeners);
        if (problem != null) {
            told(key, problem);
        }
        if (decided || problem != null) {
            forms.put(key, new Form(listeners, type));
        }
        return written;
    }

    private void told(Key key, PayloadConversionException problem) {
        String text = "A " + key.payload.getTypeName() + " in topic " + Printable.of(key.topic)
                + " could not be read when it is due: " + problem.getMessage();
        if (onFailedReadBack == OnProblem.REJECT) {
            throw new PayloadConversionException(text, problem);
        }
        log.warn(text, problem);
    }

    private @Nullable PayloadConversionException problem(
            byte[] written, Object payload, @Nullable Type given, List<Type> listeners) {
        PayloadConversionException problem =
                given == null && !listeners.isEmpty() ? null : problem(written, payload, given);
        for (Type listener : listeners) {
            problem = problem == null ? problem(written, payload, listener) : problem;
        }
        return problem;
    }

    private @Nullable PayloadConversionException problem(byte[] written, Object payload, @Nullable Type type) {
        try {
            codec.readBack(written, payload, type);
            return null;
        } catch (PayloadConversionException e) {
            return e;
        }
    }
}
