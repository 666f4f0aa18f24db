package io.delayqueue.web.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult;
import io.delayqueue.redis.Await;
import io.delayqueue.store.idempotency.IdempotencyKeys;
import io.delayqueue.store.idempotency.Reservation;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.BatchSendException;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.MessageIds;
import io.delayqueue.template.SendLimits;
import io.delayqueue.web.api.request.SendRequest;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Sends messages of clients, once per idempotency key. An invalid request is rejected before its key is reserved, so
 * that the client can correct it and send it with the same key. Thread-safe.
 *
 * @param operations sends messages
 * @param keys detects repeated requests
 * @param ids generates the ids of messages without an id that are sent with an idempotency key
 * @param limits bounds of messages
 * @param clock compares due dates with the maximum delay
 * @param topics creates and counts topics
 * @param maxTopics number of topics at which no further topic is created
 */
public record MessageSending(
        DelayQueueOperations operations,
        IdempotencyKeys keys,
        MessageIds ids,
        SendLimits limits,
        InstantSource clock,
        TopicRegistry topics,
        int maxTopics) {

    /** Sends a message. Throws the exceptions of {@link DelayQueueOperations#send}. */
    SendResult.Success one(String topic, SendRequest request, IdempotencyKey key) {
        return operations.send(messages(topic, List.of(request), key).get(0));
    }

    /** Sends messages. Each message has its own result. */
    List<? extends SendResult> many(String topic, List<SendRequest> requests, IdempotencyKey key) {
        try {
            return operations.sendAll(messages(topic, requests, key));
        } catch (BatchSendException e) {
            rejectIfNoneWasStored(e.results());
            return e.results();
        }
    }

    /**
     * Throws an exception whose status asks the client to repeat the request, if each result is unknown or a rejection
     * that may be temporary.
     */
    private static void rejectIfNoneWasStored(List<SendResult> results) {
        boolean unknown = false;
        for (SendResult result : results) {
            boolean rejected =
                    result instanceof SendResult.Rejected it && it.reason().isTransient();
            unknown |= result instanceof SendResult.Unknown;
            if (!rejected && !(result instanceof SendResult.Unknown)) {
                return;
            }
        }
        throw unknown
                ? ProblemType.OUTCOME_UNKNOWN.exception("Redis did not reply or confirm: it is unknown which of the "
                        + results.size() + " messages are stored safely. Repeating the request is safe with the same"
                        + " Idempotency-Key.")
                : ProblemType.UNAVAILABLE.exception("None of the " + results.size()
                        + " messages was stored, because Redis did not accept them. Send them again later.");
    }

    private List<DelayMessage> messages(String topic, List<SendRequest> requests, IdempotencyKey key) {
        DelayMessage.checkTopic(topic);
        for (int i = 0; i < requests.size(); i++) {
            check(topic, requests.get(i), requests.size() == 1 ? "The message" : "Message " + i);
        }
        Await.call(() -> topics.registerWithin(topic, maxTopics));
        if (key.key() == null) {
            return requests.stream()
                    .map(request -> request.toMessage(topic).build())
                    .toList();
        }
        return withNonces(topic, requests, key.key(), key);
    }

    private List<DelayMessage> withNonces(String topic, List<SendRequest> requests, String text, IdempotencyKey key) {
        List<String> generated = requests.stream()
                .filter(request -> request.id() == null)
                .map(request -> ids.next())
                .toList();
        Reservation reserved = keys.reserve(key.scope(topic), text, key.fingerprint(), generated);
        Iterator<String> own = reserved.ids().iterator();
        List<DelayMessage> messages = new ArrayList<>(requests.size());
        IntStream.range(0, requests.size()).forEach(i -> {
            SendRequest request = requests.get(i);
            DelayMessage.Builder message = request.toMessage(topic).rememberFor(IdempotencyKeys.REMEMBERED);
            if (reserved.isRepeat()) {
                message.repeatOf(reserved.nonce(i));
            } else {
                message.nonce(reserved.nonce(i));
            }
            if (request.id() == null) {
                message.id(own.next());
            }
            messages.add(message.build());
        });
        return messages;
    }

    private void check(String topic, SendRequest request, String what) {
        int payload = request.body().length;
        if (payload > limits.maxPayloadBytes()) {
            throw ProblemType.TOO_LARGE.exception(what + " has a payload of " + payload
                    + " bytes, but the maximum (delayqueue.limits.max-payload-size) is " + limits.maxPayloadBytes()
                    + " bytes.");
        }
        int headers = 0;
        for (Map.Entry<String, String> header : request.headers().entrySet()) {
            headers +=
                    header.getKey().getBytes(UTF_8).length + header.getValue().getBytes(UTF_8).length;
        }
        if (headers > limits.maxHeaderBytes()) {
            throw ProblemType.TOO_LARGE.exception(what + " has headers of " + headers
                    + " bytes, but the maximum (delayqueue.limits.max-headers-size) is " + limits.maxHeaderBytes()
                    + " bytes.");
        }
        String objection;
        try {
            objection = limits.objectionTo(request.toMessage(topic).build().due(), clock);
        } catch (IllegalArgumentException e) {
            objection = e.getMessage();
        }
        if (objection != null) {
            throw ProblemType.INVALID_REQUEST.exception(what + " can't be sent: " + objection + ".");
        }
    }
}
