package io.delayqueue.web.api;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Names;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Schedule;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.store.idempotency.IdempotencyKeys;
import io.delayqueue.store.idempotency.Reservation;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.BatchSendException;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.MessageIds;
import io.delayqueue.template.OutcomeUnknownException;
import io.delayqueue.template.SendLimits;
import io.delayqueue.web.api.request.MessageRequest;
import io.delayqueue.web.api.request.ScheduleRequest;
import io.delayqueue.web.api.request.SendRequest;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
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
        return one(messages(topic, List.of(request)).get(0), key);
    }

    /** Sends a message to a topic that exists. Throws the exceptions of {@link DelayQueueOperations#send}. */
    SendResult.Success one(DelayMessage message, IdempotencyKey key) {
        String topic = message.topic();
        try {
            return operations.send(once(topic, List.of(message), key).get(0));
        } catch (OutcomeUnknownException e) {
            if (isCertainlyFull(e.reason(), key)) {
                throw DelayQueueException.of(
                        full(topic, String.valueOf(e.delayMessage().id())));
            }
            throw e;
        }
    }

    /** Returns the schedule of a request to store it, as {@link #one} accepts a message. */
    Schedule schedule(String topic, String id, ScheduleRequest request) {
        Schedule schedule = request.toSchedule(topic, id, body(request, "The message"));
        admit(topic, List.of(schedule.message()));
        return schedule;
    }

    /** Sends messages. Each message has its own result. */
    List<? extends SendResult> many(String topic, List<SendRequest> requests, IdempotencyKey key) {
        try {
            return operations.sendAll(once(topic, messages(topic, requests), key));
        } catch (BatchSendException e) {
            List<SendResult> results = e.results().stream()
                    .map(result ->
                            result instanceof SendResult.Unknown unknown && isCertainlyFull(unknown.reason(), key)
                                    ? full(topic, unknown.id())
                                    : result)
                    .toList();
            rejectIfNoneWasStored(topic, results);
            return results;
        }
    }

    /**
     * Whether a message is certainly not stored although a repeat of its send is unknown. With a key, its outcome would have
     * been remembered.
     */
    private static boolean isCertainlyFull(Reason reason, IdempotencyKey key) {
        return reason == Reason.FULL && key.key() != null;
    }

    private static SendResult.Rejected full(String topic, String id) {
        return new SendResult.Rejected(topic, id, Reason.FULL, isFull(topic), null);
    }

    private static String isFull(String topic) {
        return "topic " + Printable.of(topic) + " has as many messages as its limit max-messages permits."
                + " Repeat the request when some are handled, or raise the limit";
    }

    /**
     * Throws an exception whose status asks the client to repeat the request, if each result is unknown or a rejection
     * that may be temporary.
     */
    private static void rejectIfNoneWasStored(String topic, List<SendResult> results) {
        boolean unknown = false;
        boolean full = true;
        for (SendResult result : results) {
            boolean rejected =
                    result instanceof SendResult.Rejected it && it.reason().isTransient();
            unknown |= result instanceof SendResult.Unknown;
            full &= result instanceof SendResult.Rejected it && it.reason() == Reason.FULL;
            if (!rejected && !(result instanceof SendResult.Unknown)) {
                return;
            }
        }
        if (full) {
            throw ProblemType.TOPIC_FULL.exception(
                    "None of the " + results.size() + " messages was stored: " + isFull(topic) + ".");
        }
        throw unknown
                ? ProblemType.OUTCOME_UNKNOWN.exception("Redis did not reply or confirm: it is unknown which of the "
                        + results.size() + " messages are stored safely. Repeating the request is safe with the same"
                        + " Idempotency-Key.")
                : ProblemType.UNAVAILABLE.exception("None of the " + results.size()
                        + " messages was stored, because Redis did not accept them. Send them again later.");
    }

    private List<DelayMessage> messages(String topic, List<SendRequest> requests) {
        Names.checkTopic(topic);
        List<DelayMessage> messages = new ArrayList<>(requests.size());
        for (int i = 0; i < requests.size(); i++) {
            messages.add(message(topic, requests.get(i), requests.size() == 1 ? "The message" : "Message " + i));
        }
        admit(topic, messages);
        return messages;
    }

    /**
     * Creates the topic, and rejects messages whose keys contradict the registration of the topic, which is read again first,
     * because another process may have registered the topic anew.
     */
    private void admit(String topic, List<DelayMessage> messages) {
        Await.call(() -> topics.registerWithin(topic, maxTopics));
        Shard known = topics.likelyShardOf(topic, topic);
        if (known == null || messages.stream().allMatch(message -> known.keys().accept(message.key()))) {
            return;
        }
        Await.call(() -> topics.freshShards(topic)).ifPresent(shards -> {
            for (int i = 0; i < messages.size(); i++) {
                String messageKey = messages.get(i).key();
                if (!shards.get(0).keys().accept(messageKey)) {
                    throw invalid(
                            messages.size() == 1 ? "The message" : "Message " + i,
                            messageKey != null
                                    ? "it has a key, but topic " + Printable.of(topic)
                                            + " is registered without keys. Remove 'key'"
                                    : "it has no key, but topic " + Printable.of(topic) + " is ordered. Set 'key' to"
                                            + " what is handled in order, such as the number of an account");
                }
            }
        });
    }

    /** Returns messages of which a repeat of the request stores none again, if it has a key. */
    private List<DelayMessage> once(String topic, List<DelayMessage> messages, IdempotencyKey key) {
        if (key.key() == null) {
            return messages;
        }
        List<String> generated = messages.stream()
                .filter(message -> message.id() == null)
                .map(message -> ids.next())
                .toList();
        Reservation reserved = keys.reserve(key.scope(topic), key.key(), key.fingerprint(), generated);
        Iterator<String> own = reserved.ids().iterator();
        return IntStream.range(0, messages.size())
                .mapToObj(i -> {
                    DelayMessage.Builder message = messages.get(i).toBuilder().rememberFor(IdempotencyKeys.REMEMBERED);
                    if (messages.get(i).id() == null) {
                        message.id(own.next());
                    }
                    String nonce = reserved.nonce(i);
                    return (reserved.isRepeat() ? message.repeatOf(nonce) : message.nonce(nonce)).build();
                })
                .toList();
    }

    private DelayMessage message(String topic, SendRequest request, String what) {
        byte[] payload = body(request, what);
        DelayMessage message;
        try {
            message = request.toMessage(topic, payload).build();
        } catch (IllegalArgumentException e) {
            throw invalid(what, String.valueOf(e.getMessage()));
        }
        // not the expiry: a repeat of a request may find it too early, although the first one was stored
        String objection = limits.objectionTo(message.due(), clock);
        if (objection != null) {
            throw invalid(what, objection);
        }
        return message;
    }

    /** Returns the payload as it is stored, if neither it nor the headers are too large. */
    private byte[] body(MessageRequest request, String what) {
        byte[] body = request.body();
        String tooLarge = limits.tooLarge(body.length, request.headers());
        if (tooLarge != null) {
            throw ProblemType.TOO_LARGE.exception(what + " is too large: " + tooLarge + ".");
        }
        return body;
    }

    private static ProblemException invalid(String what, String objection) {
        return ProblemType.INVALID_REQUEST.exception(what + " can't be sent: " + objection + ".");
    }
}
