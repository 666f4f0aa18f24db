package io.delayqueue.store.script;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Durability;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.store.Claim;
import io.delayqueue.store.EnvelopeFormat;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollReply.DeadLettered;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.Settlement;
import io.delayqueue.store.Settlement.Acknowledge;
import io.delayqueue.store.Settlement.Postpone;
import io.delayqueue.store.Settlement.Release;
import io.delayqueue.store.Settlement.Retry;
import io.delayqueue.store.Settlement.ToDeadLetters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the arguments and reads the reply of {@code poll.lua}. */
final class PollScript {

    static final LuaScript SCRIPT = LuaScript.beside(PollScript.class, "poll");

    private PollScript() {}

    static void write(ScriptCall call, PollRequest request) {
        List<Settlement> acknowledges = acknowledges(request);
        List<Settlement> others = others(request);
        List<String> runs = runs(acknowledges);
        call.add(request.consumer())
                .add(request.sequence())
                .add(request.token())
                .add(request.claiming().max())
                .add(usualOptions(request))
                .add(otherOptions(request))
                .add(counts(
                        acknowledges.size(),
                        runs.size() / 2,
                        request.extensions().size(),
                        others.size()));
        acknowledges.forEach(settlement -> call.add(settlement.id()));
        runs.forEach(call::add);
        request.extensions().forEach(extension -> call.add(extension.id()));
        request.extensions().forEach(extension -> call.add(extension.token()));
        request.extensions().forEach(extension -> call.add(extension.lease().toMillis()));
        others.forEach(settlement -> write(call, settlement));
    }

    private static String counts(int acknowledges, int runs, int renewals, int others) {
        return renewals + others == 0
                ? Integer.toString(acknowledges)
                : acknowledges + " " + runs + " " + renewals + " " + others;
    }

    /** Options that each poll reads. An argument costs Redis more than a number in a text. */
    private static String usualOptions(PollRequest request) {
        PollRequest.Claiming claiming = request.claiming();
        return millisSinceLastPoll(request) + " " + request.reclaiming().gap().toMillis() + " "
                + claiming.lease().toMillis() + " " + claiming.maxBytes() + (claiming.receiver() ? "+" : "");
    }

    /** Options that only an unusual poll reads. */
    private static String otherOptions(PollRequest request) {
        PollRequest.Reclaiming reclaiming = request.reclaiming();
        return (request.signalDueMessagesLeft() ? "1 " : "0 ")
                + (request.claiming().suspect() ? "1 " : "0 ")
                + reclaiming.maxAttempts() + " " + reclaiming.max() + " "
                + reclaiming.grace().toMillis() + " "
                + reclaiming.crashes().isolateAfterCrashes() + " "
                + reclaiming.crashes().crashLimit() + " "
                + request.claiming().handlers();
    }

    private static long millisSinceLastPoll(PollRequest request) {
        Duration sinceLastPoll = request.sinceLastPoll();
        return sinceLastPoll == null ? -1 : sinceLastPoll.toMillis();
    }

    private static void write(ScriptCall call, Settlement settlement) {
        if (settlement instanceof Retry retry) {
            String verb = retry.ifAttemptsLeft() ? "retryIfAttemptsLeft" : "retry";
            write(call, verb, retry, retry.delay().toMillis() + handling(retry.handling()), oneLine(retry));
        } else if (settlement instanceof ToDeadLetters deadLetter) {
            write(call, "deadLetter", deadLetter, cause(deadLetter), DeadLetterFormat.write(deadLetter.failure()));
        } else if (settlement instanceof Postpone postpone) {
            String value = postpone.delay().toMillis() + " " + postpone.permitted();
            write(
                    call,
                    postpone.lettingOthersPass() ? "pass" : "postpone",
                    postpone,
                    value,
                    DeadLetterFormat.write(postpone.failure()));
        } else if (settlement instanceof Release release) {
            Duration delay = release.delay();
            String verb = release.holdsTopic() ? "hold" : "release";
            write(call, verb, release, delay == null ? "" : Long.toString(delay.toMillis()), "");
        }
    }

    private static String cause(ToDeadLetters deadLetter) {
        return deadLetter.cause().name() + handling(deadLetter.handling());
    }

    private static String handling(@Nullable Duration handling) {
        return handling == null ? "" : " " + Math.max(0, handling.toMillis());
    }

    private static String oneLine(Retry retry) {
        return retry.failure().summary().replace('\n', ' ').replace('\r', ' ');
    }

    private static void write(ScriptCall call, String verb, Settlement settlement, String value, String failure) {
        call.add(verb).add(settlement.id()).add(settlement.token()).add(value).add(failure);
    }

    /** Whether recurring messages are unarmed, see {@code recurring.lua}. */
    static boolean hasUnarmed(List<Object> reply) {
        return (Replies.number(reply.get(4)) & 4) != 0;
    }

    static PollReply read(PollRequest request, List<Object> reply, Durability durability) {
        int parts = durability.isNone() ? reply.size() : reply.size() - 1;
        List<Object> rejected = list(reply, 8, parts);
        List<Object> rejectedExtensions = list(reply, 9, parts);
        long flags = Replies.number(reply.get(4));
        return new PollReply(
                Replies.number(reply.get(1)),
                Replies.number(reply.get(2)),
                Replies.number(reply.get(3)),
                claims(request.token(), reply, parts),
                rejected(request, rejected, rejectedExtensions),
                list(reply, 10, parts).stream().map(Replies::text).toList(),
                deadLettered(list(reply, 11, parts)),
                (flags & 1) != 0,
                (flags & 2) != 0,
                Replies.unconfirmed(reply, durability));
    }

    /** A list of the reply; empty if the script omitted it. */
    private static List<Object> list(List<Object> reply, int index, int parts) {
        return index < parts ? Replies.list(reply.get(index)) : List.of();
    }

    private static List<Claim> claims(String token, List<Object> reply, int parts) {
        List<Object> ids = list(reply, 5, parts);
        List<Object> messages = list(reply, 6, parts);
        List<Object> before = list(reply, 7, parts);
        long now = Replies.number(reply.get(1)) / 1000;
        List<Claim> claims = new ArrayList<>(messages.size());
        for (int i = 0; i < messages.size(); i++) {
            String id = Replies.text(ids.get(i));
            byte[] stored = Replies.bytes(messages.get(i));
            // Redis omits trailing nulls of a reply: the last messages had no delivery before
            Object delivery = i < before.size() ? before.get(i) : null;
            claims.add(
                    delivery == null
                            ? new Claim(id, token, EnvelopeFormat.dueMillis(stored, now), 1, 0, 0, false, null, stored)
                            : claim(id, token, stored, new String((byte[]) delivery, UTF_8)));
        }
        return claims;
    }

    private static Claim claim(String id, String token, byte[] stored, String delivery) {
        String[] parts = delivery.split(" ", 4);
        String failure = parts.length < 4 ? null : FailedAttempts.newest(parts[3]);
        String[] crashes = parts[1].split("[/!+]", -1);
        String[] attempts = crashes[0].split("p", -1);
        return new Claim(
                id,
                token,
                Replies.number(parts[2].getBytes(UTF_8)),
                atMostInt(attempts[0], 1),
                attempts.length < 2 ? 0 : atMostInt(attempts[1], 0),
                crashes.length < 3 ? 0 : atMostInt(crashes[1], 0),
                parts[1].endsWith("!"),
                failure,
                stored);
    }

    /** The number plus an offset. The digits may be too many for an int if a foreign client wrote them. */
    private static int atMostInt(String digits, int offset) {
        return (int) Math.min(Integer.MAX_VALUE, Replies.number(digits.getBytes(UTF_8)) + offset);
    }

    private static List<Settlement> rejected(PollRequest request, List<Object> settlements, List<Object> extensions) {
        if (settlements.isEmpty() && extensions.isEmpty()) {
            return List.of();
        }
        List<Settlement> ordered = new ArrayList<>(acknowledges(request));
        ordered.addAll(others(request));
        List<Settlement> rejected = new ArrayList<>();
        settlements.forEach(index -> rejected.add(ordered.get((int) Replies.number(index) - 1)));
        extensions.forEach(index -> rejected.add(request.extensions().get((int) Replies.number(index) - 1)));
        return rejected;
    }

    private static List<DeadLettered> deadLettered(List<Object> parts) {
        List<DeadLettered> deadLettered = new ArrayList<>(parts.size() / 2);
        for (int i = 0; i < parts.size(); i += 2) {
            deadLettered.add(
                    new DeadLettered(Replies.text(parts.get(i)), DeadLetterCause.of(Replies.text(parts.get(i + 1)))));
        }
        return deadLettered;
    }

    /**
     * Token and length of each run of consecutive acknowledgements with the same token. All messages of a claim have
     * the same token and are usually settled together.
     */
    private static List<String> runs(List<Settlement> acknowledges) {
        List<String> runs = new ArrayList<>();
        int first = 0;
        for (int i = 1; i <= acknowledges.size(); i++) {
            String token = acknowledges.get(first).token();
            if (i == acknowledges.size() || !acknowledges.get(i).token().equals(token)) {
                runs.add(token);
                runs.add(Integer.toString(i - first));
                first = i;
            }
        }
        return runs;
    }

    private static List<Settlement> acknowledges(PollRequest request) {
        List<Settlement> acknowledges = new ArrayList<>(request.settlements().size());
        for (Settlement settlement : request.settlements()) {
            if (settlement instanceof Acknowledge) {
                acknowledges.add(settlement);
            }
        }
        return acknowledges;
    }

    private static List<Settlement> others(PollRequest request) {
        return request.settlements().stream()
                .filter(settlement -> !(settlement instanceof Acknowledge))
                .toList();
    }
}
