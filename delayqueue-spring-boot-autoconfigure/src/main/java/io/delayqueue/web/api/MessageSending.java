package io.delayqueue.web.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Due;
import io.delayqueue.message.SendResult;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.idempotency.IdempotencyKeys;
import io.delayqueue.store.idempotency.Reservation;
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
 * Sends what clients ask for, once for each idempotency key. What can't be sent for certain is refused before a key is
 * reserved for it, so that it may be mended and sent under the same key. Thread-safe.
 *
 * @param operations send
 * @param keys by which repeats are known
 * @param ids for messages that have none, where they have to be known before
 * @param limits what a send takes
 * @param clock by which a date is so far ahead
 */
public record MessageSending(
        DelayQueueOperations operations, IdempotencyKeys keys, MessageIds ids, SendLimits limits, InstantSource clock) {

    /** Sends one; throws what a send throws. */
    SendResult.Success one(String topic, SendRequest request, IdempotencyKey key) {
        return operations.send(messages(topic, List.of(request), key).get(0));
    }

    /** Sends many, each with its result. */
    List<? extends SendResult> many(String topic, List<SendRequest> requests, IdempotencyKey key) {
        try {
            return operations.sendAll(messages(topic, requests, key));
        } catch (BatchSendException e) {
            refuseIfNothingCameThrough(e.results());
            return e.results();
        }
    }

    /** With a status of its own, by which a client knows that to repeat it later helps. */
    private static void refuseIfNothingCameThrough(List<SendResult> results) {
        boolean unknown = false;
        for (SendResult result : results) {
            boolean refused = result instanceof SendResult.Refused it && it.cause() instanceof RedisCallException;
            unknown |= result instanceof SendResult.Unknown;
            if (!refused && !(result instanceof SendResult.Unknown)) {
                return;
            }
        }
        throw unknown
                ? ProblemType.OUTCOME_UNKNOWN.exception("Redis did not answer: nobody knows which of the "
                        + results.size() + " messages were stored. To repeat the request is safe with the"
                        + " Idempotency-Key that it was sent with.")
                : ProblemType.UNAVAILABLE.exception("None of the " + results.size()
                        + " messages was stored, since Redis did not take them. Send them again later.");
    }

    private List<DelayMessage> messages(String topic, List<SendRequest> requests, IdempotencyKey key) {
        DelayMessage.checkTopic(topic);
        for (int i = 0; i < requests.size(); i++) {
            check(requests.get(i), requests.size() == 1 ? "The message" : "Message " + i);
        }
        if (key.key() == null) {
            return requests.stream()
                    .map(request -> request.toMessage(topic).build())
                    .toList();
        }
        return marked(topic, requests, key.key(), key.fingerprint());
    }

    private List<DelayMessage> marked(String topic, List<SendRequest> requests, String key, String fingerprint) {
        List<String> generated = requests.stream()
                .filter(request -> request.id() == null)
                .map(request -> ids.next())
                .toList();
        Reservation reserved = keys.reserve(topic, key, fingerprint, generated);
        Iterator<String> own = reserved.ids().iterator();
        List<DelayMessage> messages = new ArrayList<>(requests.size());
        IntStream.range(0, requests.size()).forEach(i -> {
            SendRequest request = requests.get(i);
            DelayMessage.Builder message =
                    request.toMessage(topic).nonce(reserved.nonce(i)).rememberFor(IdempotencyKeys.REMEMBERED);
            if (request.id() == null) {
                message.id(own.next());
            }
            messages.add(message.build());
        });
        return messages;
    }

    private void check(SendRequest request, String what) {
        int payload = request.body().length;
        if (payload > limits.maxPayloadBytes()) {
            throw ProblemType.TOO_LARGE.exception(what + " has a payload of " + payload
                    + " bytes, but delayqueue.limits.max-payload-size is " + limits.maxPayloadBytes() + " bytes.");
        }
        int headers = 0;
        for (Map.Entry<String, String> header : request.headers().entrySet()) {
            headers +=
                    header.getKey().getBytes(UTF_8).length + header.getValue().getBytes(UTF_8).length;
        }
        if (headers > limits.maxHeaderBytes()) {
            throw ProblemType.TOO_LARGE.exception(what + " has headers of " + headers
                    + " bytes, but delayqueue.limits.max-headers-size is " + limits.maxHeaderBytes() + " bytes.");
        }
        String objection = limits.objectionTo(due(request), clock);
        if (objection != null) {
            throw ProblemType.INVALID_REQUEST.exception(what + " can't be sent: " + objection + ".");
        }
    }

    private static Due due(SendRequest request) {
        if (request.delay() != null) {
            return Due.after(request.delay());
        }
        return request.dueAt() == null ? Due.NOW : Due.at(request.dueAt());
    }
}
