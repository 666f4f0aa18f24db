package io.delayqueue.store.script;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeathCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.Shard.Lane;
import io.delayqueue.store.Claim;
import io.delayqueue.store.EnvelopeFormat;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.Purge;
import io.delayqueue.store.Renewal;
import io.delayqueue.store.SendReply.Outcome;
import io.delayqueue.store.Settle;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.store.StepReply;
import io.delayqueue.store.StepReply.Death;
import io.delayqueue.store.StepRequest;
import io.delayqueue.store.bench.ShardState;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The verb table in plain maps, without Redis: what the store has to do. */
final class StoreModel {

    /** Now, ms since 1970. */
    long now;

    private final Map<Lane, LaneModel> lanes =
            Map.of(Lane.MESSAGES, new LaneModel(Lane.MESSAGES), Lane.DEATHS, new LaneModel(Lane.DEATHS));
    private final Map<String, Letter> letters = new TreeMap<>();

    StoreModel(long now) {
        this.now = now;
        lanes.values().forEach(lane -> lane.stepped = now);
    }

    private static final class LaneModel {
        final Lane lane;
        final Map<String, Live> live = new HashMap<>();
        long stepped;
        long grace;

        LaneModel(Lane lane) {
            this.lane = lane;
        }

        List<Live> scheduled() {
            return live.values().stream()
                    .filter(message -> message.token == null)
                    .sorted(Comparator.<Live>comparingLong(message -> message.due)
                            .thenComparing(message -> message.id))
                    .toList();
        }

        List<Live> leased() {
            return live.values().stream()
                    .filter(message -> message.token != null)
                    .sorted(Comparator.<Live>comparingLong(message -> message.leaseEnd)
                            .thenComparing(message -> message.id))
                    .toList();
        }

        @Nullable
        Live held(String id, String token) {
            Live message = live.get(id);
            return message != null && token.equals(message.token) ? message : null;
        }
    }

    private record Letter(Live message, long died, DeathCause cause, int attempts, long due, String failure) {}

    /** A live message: scheduled while it has no token. */
    private static final class Live {
        final String id;
        final String nonce;
        final MessageLimits limits;
        final long sent;
        final String payload;
        long headDue;
        long due;
        int attempts;
        String failure = "";
        long deliveryDue;

        @Nullable
        String token;

        long leaseEnd;
        /** Whether the head says that limits follow, though the last was stripped. */
        boolean plus;

        Live(String id, String nonce, MessageLimits limits, long sent, long due, String payload) {
            this.id = id;
            this.nonce = nonce;
            this.limits = limits;
            this.sent = sent;
            this.payload = payload;
            this.headDue = due;
            this.due = due;
        }

        boolean expired(long now) {
            Instant date = limits.expireAt();
            Duration late = limits.expireAfter();
            return (date != null && now > date.toEpochMilli()) || (late != null && now > headDue + late.toMillis());
        }

        /** The rest of the head's line. */
        String line() {
            if (limits.isEmpty() && !plus) {
                return nonce.equals("-") ? "" : nonce;
            }
            StringBuilder line = new StringBuilder("+").append(nonce);
            Instant date = limits.expireAt();
            if (limits.maxAttempts() != null) {
                line.append(" a=").append(limits.maxAttempts());
            }
            if (limits.lease() != null) {
                line.append(" l=").append(limits.lease().toMillis());
            }
            if (limits.expireAfter() != null) {
                line.append(" x=").append(limits.expireAfter().toMillis());
            }
            if (date != null) {
                line.append(" e=").append(date.toEpochMilli());
            }
            return line.toString();
        }

        String stored() {
            return ShardState.message(line(), sent, headDue, "\n" + payload);
        }

        void back(long at, int counted, String why) {
            due = at;
            deliveryDue = at;
            attempts = counted;
            failure = why;
            token = null;
        }
    }

    private LaneModel messages() {
        return lane(Lane.MESSAGES);
    }

    private LaneModel lane(Lane lane) {
        return requireNonNull(lanes.get(lane));
    }

    private long at(Due due) {
        return due.relative() ? now + due.millis() : due.millis();
    }

    List<Outcome> send(List<OutgoingMessage> batch) {
        return batch.stream().map(this::send).toList();
    }

    private static Envelope read(OutgoingMessage message) {
        ByteArrayOutputStream stored = new ByteArrayOutputStream();
        stored.write('1');
        stored.writeBytes(new byte[message.due().relative() ? 12 : 6]);
        stored.writeBytes(message.rest());
        return EnvelopeFormat.read(stored.toByteArray());
    }

    private Outcome send(OutgoingMessage message) {
        Envelope envelope = read(message);
        String payload = new String(envelope.payload(), UTF_8);
        Live sent = new Live(message.id(), envelope.nonce(), envelope.limits(), now, at(message.due()), payload);
        Live old = messages().live.get(message.id());
        if (old != null) {
            if (old.line().equals(sent.line())) {
                return Outcome.ACCEPTED;
            }
            if (message.onDuplicate() != OnDuplicate.REPLACE) {
                return message.onDuplicate() == OnDuplicate.KEEP ? Outcome.KEPT : Outcome.DUPLICATE;
            }
        }
        messages().live.put(message.id(), sent);
        return old == null ? Outcome.ACCEPTED : Outcome.REPLACED;
    }

    CancelOutcome cancel(String id) {
        Live message = messages().live.remove(id);
        return message == null
                ? CancelOutcome.NOT_FOUND
                : message.token == null ? CancelOutcome.CANCELLED : CancelOutcome.CANCELLED_WHILE_HANDLED;
    }

    RescheduleOutcome reschedule(String id, Due due) {
        Live message = messages().live.get(id);
        if (message == null) {
            return RescheduleOutcome.NOT_FOUND;
        }
        if (message.token != null) {
            return RescheduleOutcome.BEING_HANDLED;
        }
        message.due = at(due);
        message.headDue = message.due;
        return RescheduleOutcome.RESCHEDULED;
    }

    ReplayOutcome replay(String letterId, Due due) {
        Letter letter = letters.get(letterId);
        if (letter == null) {
            return ReplayOutcome.NOT_FOUND;
        }
        Live old = letter.message;
        if (messages().live.containsKey(old.id)) {
            return ReplayOutcome.ID_LIVE;
        }
        MessageLimits limits =
                new MessageLimits(old.limits.maxAttempts(), old.limits.lease(), old.limits.expireAfter(), null);
        Live again = new Live(old.id, old.nonce, limits, old.sent, at(due), old.payload);
        again.plus = old.plus || !old.limits.isEmpty();
        messages().live.put(old.id, again);
        drop(List.of(letterId));
        return ReplayOutcome.REPLAYED;
    }

    private int drop(List<String> letterIds) {
        int dropped = 0;
        for (String id : letterIds) {
            dropped += letters.remove(id) == null ? 0 : 1;
            lane(Lane.DEATHS).live.remove(id);
        }
        return dropped;
    }

    int purge(Purge purge) {
        if (purge instanceof Purge.Named named) {
            return drop(named.letterIds());
        }
        List<String> oldestFirst = letters.entrySet().stream()
                .sorted(Comparator.<Map.Entry<String, Letter>>comparingLong(letter -> letter.getValue().died)
                        .thenComparing(Map.Entry::getKey))
                .map(Map.Entry::getKey)
                .toList();
        if (purge instanceof Purge.DiedUntil died) {
            return drop(diedUntil(oldestFirst, died.until().toEpochMilli()));
        }
        Purge.Retention retention = (Purge.Retention) purge;
        List<String> old = diedUntil(oldestFirst, now - retention.maxAge().toMillis());
        int surplus = (int) Math.max(0, letters.size() - retention.maxCount());
        return drop(old.isEmpty() ? oldestFirst.subList(0, Math.min(500, surplus)) : old);
    }

    private List<String> diedUntil(List<String> oldestFirst, long until) {
        return oldestFirst.stream()
                .filter(id -> requireNonNull(letters.get(id)).died <= until)
                .limit(500)
                .toList();
    }

    StepReply step(Lane which, StepRequest request) {
        LaneModel lane = lane(which);
        boolean stalled = now - lane.stepped > request.reclaiming().gap().toMillis() || now < lane.stepped;
        lane.stepped = now;
        if (stalled && !lane.leased().isEmpty()) {
            lane.grace = now + request.reclaiming().grace().toMillis();
        }
        List<Settle> ordered = new ArrayList<>();
        request.settles().stream().filter(Settle.Acknowledge.class::isInstance).forEach(ordered::add);
        request.settles().stream()
                .filter(settle -> !(settle instanceof Settle.Acknowledge))
                .forEach(ordered::add);
        List<Settle> gone = ordered.stream()
                .filter(settle -> lane.held(settle.id(), settle.token()) == null)
                .toList();
        List<Renewal> lost = request.renewals().stream()
                .filter(renewal -> lane.held(renewal.id(), renewal.token()) == null)
                .toList();
        List<Death> deaths = new ArrayList<>();
        List<Claim> claims = claim(lane, request, deaths);
        ordered.stream().filter(settle -> !gone.contains(settle)).forEach(settle -> settle(lane, settle, deaths));
        request.renewals().forEach(renewal -> {
            Live message = lane.held(renewal.id(), renewal.token());
            if (message != null) {
                message.leaseEnd = now + renewal.lease().toMillis();
            }
        });
        List<String> reclaimed = now >= lane.grace ? reclaim(lane, request, deaths) : List.of();
        return new StepReply(
                now * 1000,
                lane.scheduled().stream()
                        .mapToLong(message -> message.due)
                        .findFirst()
                        .orElse(StepReply.NEVER),
                lane.leased().stream()
                        .mapToLong(message -> message.leaseEnd)
                        .findFirst()
                        .orElse(StepReply.NEVER),
                claims,
                gone,
                lost,
                reclaimed,
                deaths);
    }

    /** Notices are small: in their lane bytes are not counted. */
    private static List<Live> fitting(LaneModel lane, List<Live> messages, int max, int bytes) {
        List<Live> fitting = new ArrayList<>();
        int sum = 0;
        for (Live message : messages) {
            sum += lane.lane == Lane.DEATHS ? 0 : message.stored().length();
            if (fitting.size() == max || (!fitting.isEmpty() && sum > bytes)) {
                break;
            }
            fitting.add(message);
        }
        return fitting;
    }

    private List<Claim> claim(LaneModel lane, StepRequest request, List<Death> deaths) {
        List<Live> due =
                lane.scheduled().stream().filter(message -> message.due <= now).toList();
        List<Claim> claims = new ArrayList<>();
        for (Live message :
                fitting(lane, due, request.claiming().max(), request.claiming().maxBytes())) {
            if (message.expired(now)) {
                die(
                        lane,
                        message,
                        message.nonce + "." + message.sent,
                        DeathCause.EXPIRED,
                        message.due,
                        message.failure,
                        deaths);
                continue;
            }
            Duration own = message.limits.lease();
            message.attempts++;
            message.token = request.token();
            message.deliveryDue = message.due;
            message.leaseEnd = now + (own == null ? request.claiming().lease() : own).toMillis();
            claims.add(new Claim(
                    message.id,
                    request.token(),
                    message.due,
                    message.attempts,
                    message.failure.isEmpty() ? null : message.failure,
                    new byte[0]));
        }
        return claims;
    }

    private void settle(LaneModel lane, Settle settle, List<Death> deaths) {
        Live message = requireNonNull(lane.live.get(settle.id()));
        if (settle instanceof Settle.Acknowledge) {
            lane.live.remove(settle.id());
        } else if (settle instanceof Settle.Retry retry) {
            message.back(
                    now + retry.delay().toMillis(),
                    message.attempts,
                    retry.failure().summary());
        } else if (settle instanceof Settle.Release) {
            message.back(message.deliveryDue, message.attempts - 1, message.failure);
        } else if (settle instanceof Settle.Bury bury) {
            String failure = LetterFormat.write(bury.failure());
            die(lane, message, bury.token(), bury.cause(), message.deliveryDue, failure, deaths);
        }
    }

    private List<String> reclaim(LaneModel lane, StepRequest request, List<Death> deaths) {
        List<Live> over = lane.leased().stream()
                .filter(message -> message.leaseEnd <= now)
                .toList();
        List<String> reclaimed = new ArrayList<>();
        for (Live message : fitting(
                lane, over, request.reclaiming().max(), request.claiming().maxBytes())) {
            Integer own = message.limits.maxAttempts();
            String token = requireNonNull(message.token);
            if (message.attempts >= (own == null ? request.reclaiming().maxAttempts() : own)) {
                die(lane, message, token, DeathCause.LEASE_OVER, message.deliveryDue, message.failure, deaths);
            } else {
                message.back(now, message.attempts, message.failure);
                reclaimed.add(message.id);
            }
        }
        return reclaimed;
    }

    private void die(
            LaneModel lane,
            Live message,
            String token,
            DeathCause cause,
            long due,
            String failure,
            List<Death> deaths) {
        lane.live.remove(message.id);
        deaths.add(new Death(message.id, cause));
        if (lane.lane == Lane.MESSAGES) {
            String letter = message.id + "@" + token;
            letters.put(letter, new Letter(message, now, cause, message.attempts, due, failure));
            lane(Lane.DEATHS).live.putIfAbsent(letter, new Live(letter, "-", MessageLimits.NONE, now, now, ""));
        }
    }

    List<String> letterIds() {
        return List.copyOf(letters.keySet());
    }

    ShardCounts count(Lane which) {
        LaneModel lane = lane(which);
        List<Live> scheduled = lane.scheduled();
        long ready = scheduled.stream().filter(message -> message.due <= now).count();
        long waiting = scheduled.stream()
                .filter(message -> message.due <= now)
                .mapToLong(message -> Math.max(message.due, message.sent))
                .min()
                .orElse(now);
        return new ShardCounts(
                scheduled.size() - ready,
                ready,
                lane.leased().size(),
                which == Lane.MESSAGES ? letters.size() : 0,
                Duration.ofMillis(Math.max(0, now - waiting)));
    }

    /** As Redis is to hold it. */
    ShardState state() {
        ShardState state = new ShardState();
        lanes.forEach((which, lane) -> {
            String prefix = which == Lane.DEATHS ? "deaths." : "";
            lane.live.forEach((id, message) -> {
                state.put(prefix + "messages", id, message.stored());
                if (message.token == null) {
                    state.put(prefix + "schedule", id, message.due);
                } else {
                    state.put(prefix + "leases", id, message.leaseEnd);
                }
                if (message.attempts > 0) {
                    state.put(prefix + "deliveries", id, delivery(message));
                }
            });
        });
        letters.forEach((id, letter) -> state.put("dead", id, letter.died)
                .put(
                        "letters",
                        id,
                        ShardState.record(
                                letter.died,
                                letter.cause.name(),
                                letter.attempts,
                                letter.due,
                                letter.failure,
                                letter.message.stored())));
        return state;
    }

    private static String delivery(Live message) {
        String token = message.token == null ? "-" : message.token;
        return token + " " + message.attempts + " " + message.deliveryDue + " " + message.failure;
    }
}
