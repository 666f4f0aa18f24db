package io.delayqueue.store.script;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.store.Claim;
import io.delayqueue.store.EnvelopeFormat;
import io.delayqueue.store.LeaseTokens;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollReply.DeadLettered;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.Purge;
import io.delayqueue.store.SendReply.Outcome;
import io.delayqueue.store.Settlement;
import io.delayqueue.store.ShardCounts;
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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The verb table in plain maps, without Redis: what the store has to do. */
final class StoreModel {

    /** What Redis' clock shows, ms since 1970: messages are due by it. */
    long now;
    /** What the owners' own clocks count, whatever Redis' clock does: leases end by it. */
    long passed;

    /** The most scheduled and leased messages. */
    int limit = Integer.MAX_VALUE;

    private final Map<QueueKind, KindModel> kinds = Map.of(
            QueueKind.MESSAGES,
            new KindModel(QueueKind.MESSAGES),
            QueueKind.NOTIFICATIONS,
            new KindModel(QueueKind.NOTIFICATIONS));
    private final Map<String, DeadLetter> deadLetters = new TreeMap<>();

    StoreModel(long now) {
        this.now = now;
        this.passed = now;
        kinds.values().forEach(kind -> {
            kind.polled = now;
            kind.polledPassed = now;
        });
    }

    private static final long SUSPECT = 1_000_000_000_000_000L;

    private static final Comparator<Live> BY_DUE =
            Comparator.<Live>comparingLong(message -> message.due).thenComparing(message -> message.id);

    private static final Comparator<Live> BY_LEASE =
            Comparator.<Live>comparingLong(message -> message.leaseEnd).thenComparing(message -> message.id);

    private static final class KindModel {
        final QueueKind kind;
        final Map<String, Live> live = new HashMap<>();
        long polled;
        long polledPassed;
        long grace;
        /** Permitted leases and time between claims in ms; 0 for none. */
        int places;

        long interval;
        int burst = 1;
        /** When the next claim would be on time if there were no burst, and until when nothing is claimed. */
        long arrival;

        long heldUntil;

        KindModel(QueueKind kind) {
            this.kind = kind;
        }

        List<Live> scheduled() {
            return live(message -> message.token == null && !message.suspect, BY_DUE);
        }

        List<Live> suspects() {
            return live(message -> message.token == null && message.suspect, BY_DUE);
        }

        List<Live> leased() {
            return live(message -> message.token != null, BY_LEASE);
        }

        boolean isLimited() {
            return places > 0 || interval > 0 || heldUntil > 0;
        }

        /** When the next message may be claimed, by the owners' clocks; null if a lease must end before. */
        @Nullable
        Long opens() {
            return places > 0 && leased().size() >= places
                    ? null
                    : Math.max(heldUntil, interval == 0 ? 0 : arrival - (burst - 1) * interval);
        }

        private List<Live> live(Predicate<Live> which, Comparator<Live> order) {
            return live.values().stream().filter(which).sorted(order).toList();
        }

        @Nullable
        Live held(String id, String token) {
            Live message = live.get(id);
            String held = message == null ? null : message.token;
            return held != null && (token.equals(held) || token.equals(LeaseTokens.receipt(held, id))) ? message : null;
        }
    }

    private record DeadLetter(
            Live message, long deadLetteredAt, DeadLetterCause cause, int attempts, long due, String failure) {}

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
        int postponements;
        int crashes;
        int isolatedCrashes;
        /** Whether it waits to be isolated, or is leased in isolation. */
        boolean suspect;
        /** Whether it is leased by a receiver. */
        boolean receiver;

        String failures = "";
        long deliveryDue;
        /** Whether a release without attempts left it with another due time than its own. */
        boolean moved;

        @Nullable
        String token;

        long leaseEnd;
        /** Whether the head says that limits follow, though the last was stripped. */
        boolean plus;

        /** Of a debounced message, the longest time until it is due, and from when it counts. */
        long longest;

        long first;

        @Nullable
        Live successor;

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

        boolean wasHandled() {
            return attempts > 0 || postponements > 0 || crashes > 0;
        }

        boolean hasDelivery() {
            return wasHandled() || moved || successor != null;
        }

        boolean isSameSend(Live other) {
            return sentLine().equals(other.sentLine());
        }

        /** The rest of the head's line. */
        String line() {
            return longest == 0 ? sentLine() : sentLine() + "/" + first;
        }

        private String sentLine() {
            if (limits.isEmpty() && longest == 0 && !plus) {
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
            if (longest > 0) {
                line.append(" d=").append(longest);
            }
            return line.toString();
        }

        /** What a replay keeps of the stored message. */
        String identity() {
            return sent + line().replaceAll(" [ed]=[\\d/]+", "") + "\n" + payload;
        }

        String stored() {
            return ShardState.message(line(), sent, headDue, "\n" + payload);
        }

        /** The failed attempts after a retry. Never exceeds the limit. */
        String withFailure(long at, Settlement.Retry retry) {
            Duration handling = retry.handling();
            String line = at + " " + attempts + " "
                    + requireNonNull(token).replaceAll("^(\\w+)\\..*|.*", "$1").replaceAll("^$", "-") + " "
                    + (handling == null ? "-" : handling.toMillis()) + " "
                    + retry.failure().summary();
            return failures.isEmpty() ? line : line + "\n" + failures;
        }

        void back(long at, int counted, String why) {
            due = at;
            deliveryDue = at;
            attempts = counted;
            failures = why;
            token = null;
        }

        String countText() {
            String mark = token == null ? "" : receiver ? "+" : suspect ? "!" : "";
            return (postponements == 0 ? "" : "p" + postponements)
                    + (crashes == 0 ? "" : "/" + crashes + "/" + isolatedCrashes)
                    + mark;
        }
    }

    /** Limits what is claimed. */
    void limit(int places, int interval, int burst) {
        messages().places = places;
        messages().interval = interval;
        messages().burst = burst;
    }

    /** The limits as in {@code limits} of meta. */
    String limits() {
        KindModel kind = messages();
        return kind.places + " " + kind.interval * 1000 + " " + kind.burst + " "
                + (limit == Integer.MAX_VALUE ? 0 : limit);
    }

    private KindModel messages() {
        return kind(QueueKind.MESSAGES);
    }

    private KindModel kind(QueueKind kind) {
        return requireNonNull(kinds.get(kind));
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
        sent.longest = message.due().longest();
        if (old == null && messages().live.size() >= limit) {
            return Outcome.FULL;
        }
        Outcome stays = old == null ? null : staying(message.onDuplicate(), sent, old);
        if (stays != null) {
            return stays;
        }
        if (old == null && sent.longest > 0) {
            debounce(sent, null);
        }
        messages().live.put(message.id(), sent);
        return old == null ? Outcome.ACCEPTED : Outcome.REPLACED;
    }

    /** The outcome if the live message stays; null if the new one replaces it. */
    private @Nullable Outcome staying(OnDuplicate mode, Live sent, Live old) {
        if (mode == OnDuplicate.AFTER_RUNNING || sent.longest > 0) {
            return coalesce(mode == OnDuplicate.AFTER_RUNNING, sent, old);
        }
        if (old.isSameSend(sent)) {
            return Outcome.ACCEPTED;
        }
        return mode == OnDuplicate.KEEP ? Outcome.KEPT : mode == OnDuplicate.REJECT ? Outcome.DUPLICATE : null;
    }

    private @Nullable Outcome coalesce(boolean afterRunning, Live sent, Live old) {
        Live successor = old.successor;
        if (old.isSameSend(sent) || (successor != null && successor.isSameSend(sent))) {
            return Outcome.ACCEPTED;
        }
        if (sent.longest > 0) {
            debounce(sent, successor != null ? successor : old.wasHandled() ? null : old);
        }
        if (old.token == null && !(afterRunning && (old.wasHandled() || successor != null))) {
            return null;
        }
        old.successor = sent;
        return successor == null ? Outcome.ACCEPTED : Outcome.REPLACED;
    }

    private void debounce(Live sent, @Nullable Live before) {
        sent.first = before == null || before.longest == 0 ? now : before.first;
        sent.due = Math.min(sent.due, sent.first + sent.longest);
        sent.headDue = sent.due;
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
        message.deliveryDue = message.due;
        message.suspect = false;
        return RescheduleOutcome.RESCHEDULED;
    }

    ReplayOutcome replay(String deadLetterId, Due due) {
        DeadLetter deadLetter = deadLetters.get(deadLetterId);
        if (deadLetter == null) {
            return ReplayOutcome.NOT_FOUND;
        }
        Live old = deadLetter.message;
        Live live = messages().live.get(old.id);
        if (live != null && !live.identity().equals(old.identity())) {
            return ReplayOutcome.ID_LIVE;
        }
        if (live != null) { // the message was sent again within the millisecond: as after a replay that stopped midway
            drop(List.of(deadLetterId));
            return ReplayOutcome.REPLAYED;
        }
        MessageLimits limits =
                new MessageLimits(old.limits.maxAttempts(), old.limits.lease(), old.limits.expireAfter(), null);
        Live again = new Live(old.id, old.nonce, limits, old.sent, at(due), old.payload);
        again.plus = old.plus || old.longest > 0 || !old.limits.isEmpty();
        messages().live.put(old.id, again);
        drop(List.of(deadLetterId));
        return ReplayOutcome.REPLAYED;
    }

    private int drop(List<String> deadLetterIds) {
        int dropped = 0;
        for (String id : deadLetterIds) {
            dropped += deadLetters.remove(id) == null ? 0 : 1;
            kind(QueueKind.NOTIFICATIONS).live.remove(id);
        }
        return dropped;
    }

    int purge(Purge purge) {
        if (purge instanceof Purge.Named named) {
            return drop(named.deadLetterIds());
        }
        List<String> oldestFirst = deadLetters.entrySet().stream()
                .sorted(Comparator.<Map.Entry<String, DeadLetter>>comparingLong(
                                deadLetter -> deadLetter.getValue().deadLetteredAt)
                        .thenComparing(Map.Entry::getKey))
                .map(Map.Entry::getKey)
                .toList();
        Purge.Retention retention = (Purge.Retention) purge;
        List<String> old =
                deadLetteredUntil(oldestFirst, now - retention.maxAge().toMillis());
        int surplus = (int) Math.max(0, deadLetters.size() - retention.maxCount());
        return drop(oldestFirst.subList(0, Math.min(500, Math.max(surplus, old.size()))));
    }

    private List<String> deadLetteredUntil(List<String> oldestFirst, long until) {
        return oldestFirst.stream()
                .filter(id -> requireNonNull(deadLetters.get(id)).deadLetteredAt <= until)
                .limit(500)
                .toList();
    }

    PollReply poll(QueueKind which, PollRequest request) {
        KindModel kind = kind(which);
        long gap = Math.max(now - kind.polled, passed - kind.polledPassed);
        boolean stalled = gap > request.reclaiming().gap().toMillis() || now < kind.polled;
        kind.polled = now;
        kind.polledPassed = passed;
        if (stalled && !kind.leased().isEmpty()) {
            kind.grace = passed + request.reclaiming().grace().toMillis();
        }
        List<Settlement> ordered = new ArrayList<>();
        request.settlements().stream()
                .filter(Settlement.Acknowledge.class::isInstance)
                .forEach(ordered::add);
        request.settlements().stream()
                .filter(settlement -> !(settlement instanceof Settlement.Acknowledge))
                .forEach(ordered::add);
        List<Settlement> gone = ordered.stream()
                .filter(settlement -> kind.held(settlement.id(), settlement.token()) == null)
                .toList();
        List<Settlement> rejected = new ArrayList<>(gone);
        request.extensions().stream()
                .filter(extension -> kind.held(extension.id(), extension.token()) == null)
                .forEach(rejected::add);
        List<DeadLettered> deadLettered = new ArrayList<>();
        List<Settlement> accepted = ordered.stream()
                .filter(settlement -> !gone.contains(settlement))
                .toList();
        List<DeadLettered> expired = new ArrayList<>();
        List<Claim> claims = claim(kind, request, permitted(kind, accepted, request), expired);
        kind.arrival = Math.max(passed, kind.arrival) + claims.size() * kind.interval;
        accepted.forEach(settlement -> settle(kind, settlement, deadLettered));
        deadLettered.addAll(expired);
        request.extensions().forEach(renewal -> {
            Live message = kind.held(renewal.id(), renewal.token());
            if (message != null) {
                message.leaseEnd =
                        Math.max(message.leaseEnd, passed + renewal.lease().toMillis());
            }
        });
        List<String> reclaimed = passed >= kind.grace ? reclaim(kind, request, deadLettered) : List.of();
        long nextDue = kind.scheduled().stream()
                .mapToLong(message -> message.due)
                .findFirst()
                .orElse(PollReply.NEVER);
        boolean suspects = !kind.suspects().isEmpty();
        Long opens = kind.opens();
        boolean closed = kind.isLimited() && (opens == null || opens > passed);
        if (closed) {
            long at = opens == null ? PollReply.NEVER : now + opens - passed;
            nextDue = suspects ? at : Math.max(at, nextDue);
        }
        return new PollReply(
                now * 1000,
                nextDue,
                kind.leased().stream()
                        .mapToLong(message -> message.leaseEnd - passed + now)
                        .findFirst()
                        .orElse(PollReply.NEVER),
                claims,
                rejected,
                reclaimed,
                deadLettered,
                suspects && !closed,
                kind.isLimited(),
                null);
    }

    /** Notifications are small: in their queue bytes are not counted. A delivery counts, because it may have a successor. */
    private static List<Live> fitting(KindModel kind, List<Live> messages, int max, int bytes) {
        List<Live> fitting = new ArrayList<>();
        int sum = 0;
        for (Live message : messages) {
            sum += kind.kind == QueueKind.NOTIFICATIONS
                    ? 0
                    : message.stored().length()
                            + (message.hasDelivery() ? delivery(message).length() : 0);
            if (fitting.size() == max || (!fitting.isEmpty() && sum > bytes)) {
                break;
            }
            fitting.add(message);
        }
        return fitting;
    }

    /** The number of messages that a poll may claim. */
    private int permitted(KindModel kind, List<Settlement> accepted, PollRequest request) {
        if (accepted.stream()
                        .anyMatch(
                                settlement -> settlement instanceof Settlement.Release release && release.holdsTopic())
                || kind.heldUntil > passed) {
            return 0;
        }
        int places = kind.places == 0
                ? PollRequest.MAX_BATCH
                : kind.places - kind.leased().size() + accepted.size();
        long tokens = kind.interval == 0
                ? PollRequest.MAX_BATCH
                : kind.burst - Math.max(0, (kind.arrival - passed + kind.interval - 1) / kind.interval);
        return (int) Math.max(0, Math.min(places, tokens));
    }

    private List<Claim> claim(KindModel kind, PollRequest request, int permitted, List<DeadLettered> deadLettered) {
        List<Live> due = new ArrayList<>();
        if (request.claiming().suspect() && permitted > 0) {
            kind.suspects().stream().limit(1).forEach(due::add);
        }
        int handled = due.size() + Math.max(1, request.claiming().handlers());
        kind.scheduled().stream()
                .filter(message -> message.due <= now)
                .limit(Math.min(
                        permitted - due.size(),
                        kind.isLimited()
                                ? Math.min(
                                        request.claiming().max(),
                                        request.claiming().handlers())
                                : request.claiming().max()))
                .forEach(due::add);
        List<Claim> claims = new ArrayList<>();
        List<Live> fitting = fitting(kind, due, due.size(), request.claiming().maxBytes());
        for (Live message : fitting) {
            if (message.crashes > 0 && fitting.indexOf(message) >= handled) {
                break;
            }
            if (message.expired(now)) {
                String token = message.nonce + "." + message.sent;
                toDeadLetters(kind, message, token, DeadLetterCause.EXPIRED, "", deadLettered);
                continue;
            }
            if (!message.suspect && isSuspect(message, request)) {
                message.suspect = true;
                continue;
            }
            Duration own = message.limits.lease();
            message.attempts++;
            message.receiver = request.claiming().receiver();
            message.token = request.token();
            message.deliveryDue = message.due;
            message.leaseEnd = passed + (own == null ? request.claiming().lease() : own).toMillis();
            claims.add(new Claim(
                    message.id,
                    request.token(),
                    message.due,
                    message.attempts,
                    message.postponements,
                    message.crashes,
                    message.suspect && !message.receiver,
                    FailedAttempts.newest(message.failures),
                    new byte[0]));
        }
        return claims;
    }

    private static boolean isSuspect(Live message, PollRequest request) {
        return message.crashes >= request.reclaiming().crashes().isolateAfterCrashes();
    }

    private void settle(KindModel kind, Settlement settlement, List<DeadLettered> deadLettered) {
        Live message = requireNonNull(kind.live.get(settlement.id()));
        if (settlement instanceof Settlement.Acknowledge) {
            end(kind, message);
        } else if (settlement instanceof Settlement.Retry retry) {
            message.back(now + retry.delay().toMillis(), message.attempts, message.withFailure(now, retry));
            message.crashes = 0;
            message.isolatedCrashes = 0;
            message.suspect = false;
        } else if (settlement instanceof Settlement.Release release) {
            Duration delay = release.delay();
            if (release.holdsTopic() && delay != null) {
                kind.heldUntil = Math.max(kind.heldUntil, passed + delay.toMillis());
            }
            long due = delay == null ? message.deliveryDue : now + delay.toMillis();
            message.back(due, message.attempts - 1, message.failures);
            message.suspect &= message.due <= now;
            message.moved = message.due != message.headDue || message.successor != null;
        } else if (settlement instanceof Settlement.Postpone postpone
                && (postpone.permitted() == 0 || message.postponements < postpone.permitted())) {
            message.back(now + postpone.delay().toMillis(), message.attempts - 1, message.failures);
            message.suspect &= message.due <= now;
            message.postponements++;
        } else if (settlement instanceof Settlement.Postpone postpone) {
            String failure = DeadLetterFormat.write(postpone.failure());
            toDeadLetters(
                    kind,
                    message,
                    requireNonNull(message.token),
                    DeadLetterCause.POSTPONEMENTS_SPENT,
                    failure,
                    deadLettered);
        } else if (settlement instanceof Settlement.ToDeadLetters deadLetter) {
            String failure = DeadLetterFormat.write(deadLetter.failure());
            toDeadLetters(kind, message, requireNonNull(message.token), deadLetter.cause(), failure, deadLettered);
        }
    }

    private List<String> reclaim(KindModel kind, PollRequest request, List<DeadLettered> deadLettered) {
        List<Live> over = kind.leased().stream()
                .filter(message -> message.leaseEnd <= passed)
                .toList();
        List<String> reclaimed = new ArrayList<>();
        for (Live message : fitting(
                kind, over, request.reclaiming().max(), request.claiming().maxBytes())) {
            String token = requireNonNull(message.token);
            if (message.receiver) {
                Integer own = message.limits.maxAttempts();
                if (message.attempts < (own == null ? request.reclaiming().maxAttempts() : own)) {
                    message.back(now, message.attempts, message.failures);
                    message.suspect = isSuspect(message, request);
                    reclaimed.add(message.id);
                } else {
                    toDeadLetters(kind, message, token, DeadLetterCause.ATTEMPTS_SPENT, "", deadLettered);
                }
                continue;
            }
            message.crashes++;
            message.isolatedCrashes += message.suspect ? 1 : 0;
            if (message.isolatedCrashes >= request.reclaiming().crashes().crashLimit()) {
                toDeadLetters(kind, message, token, DeadLetterCause.CRASHED, "", deadLettered);
            } else {
                message.back(now, message.attempts - 1, message.failures);
                message.suspect = isSuspect(message, request);
                reclaimed.add(message.id);
            }
        }
        return reclaimed;
    }

    private void end(KindModel kind, Live message) {
        Live successor = message.successor;
        if (successor == null) {
            kind.live.remove(message.id);
            return;
        }
        successor.due = Math.max(now, successor.headDue);
        successor.deliveryDue = successor.due;
        successor.moved = successor.headDue < now;
        kind.live.put(message.id, successor);
    }

    private void toDeadLetters(
            KindModel kind,
            Live message,
            String token,
            DeadLetterCause cause,
            String failure,
            List<DeadLettered> deadLettered) {
        long due = message.token == null ? message.due : message.deliveryDue;
        String last =
                failure.isEmpty() ? message.failures.replaceAll("(?s)^\\d+ \\d+ \\S+ \\S+ ([^\n]*).*", "$1") : failure;
        String all = message.failures.isEmpty() ? failure : last + "\0" + message.failures;
        end(kind, message);
        deadLettered.add(new DeadLettered(message.id, cause));
        if (kind.kind == QueueKind.MESSAGES) {
            String deadLetter = message.id + "@" + token;
            deadLetters.put(deadLetter, new DeadLetter(message, now, cause, message.attempts, due, all));
            kind(QueueKind.NOTIFICATIONS)
                    .live
                    .putIfAbsent(deadLetter, new Live(deadLetter, "-", MessageLimits.NONE, now, now, ""));
        }
    }

    List<String> deadLetterIds() {
        return List.copyOf(deadLetters.keySet());
    }

    ShardCounts count(QueueKind which) {
        KindModel kind = kind(which);
        List<Live> suspects = kind.suspects();
        List<Live> due = new ArrayList<>(suspects);
        kind.scheduled().stream().filter(message -> message.due <= now).forEach(due::add);
        long waiting = due.stream()
                .mapToLong(message -> Math.max(message.due, message.sent))
                .min()
                .orElse(now);
        long[] later = kind.scheduled().stream()
                .mapToLong(message -> message.due)
                .filter(time -> time > now)
                .sorted()
                .toArray();
        boolean dead = which == QueueKind.MESSAGES && !deadLetters.isEmpty();
        TopicCounts counts = new TopicCounts(
                kind.scheduled().size() + suspects.size() - due.size(),
                due.size(),
                suspects.size(),
                0,
                kind.leased().size(),
                which == QueueKind.MESSAGES ? deadLetters.size() : 0,
                which == QueueKind.MESSAGES ? deadLetters.size() : 0,
                0,
                Duration.ofMillis(Math.max(0, now - waiting)),
                later.length == 0 ? null : Instant.ofEpochMilli(later[later.length - 1]),
                later.length == 0 ? null : Instant.ofEpochMilli(later[(later.length - 1) / 2]),
                dead
                        ? Instant.ofEpochMilli(deadLetters.values().stream()
                                .mapToLong(DeadLetter::deadLetteredAt)
                                .min()
                                .orElseThrow())
                        : null);
        return new ShardCounts(counts, null);
    }

    /** As Redis is to hold it. */
    ShardState state() {
        ShardState state = new ShardState();
        kinds.forEach((which, kind) -> {
            String prefix = which == QueueKind.NOTIFICATIONS ? "notifications." : "";
            kind.live.forEach((id, message) -> {
                state.put(prefix + "messages", id, message.stored());
                if (message.token == null) {
                    state.put(prefix + "schedule", id, message.suspect ? message.due + SUSPECT : message.due);
                } else {
                    state.put(prefix + "leases", id, message.leaseEnd);
                }
                if (message.hasDelivery()) {
                    state.put(prefix + "deliveries", id, delivery(message));
                }
            });
        });
        deadLetters.forEach((id, deadLetter) -> state.put("dead", id, deadLetter.deadLetteredAt)
                .put(
                        "deadLetters",
                        id,
                        ShardState.record(
                                deadLetter.deadLetteredAt,
                                deadLetter.cause.name(),
                                deadLetter.attempts,
                                deadLetter.due,
                                deadLetter.failure,
                                deadLetter.message.stored())));
        return state;
    }

    private static String delivery(Live message) {
        return message.successor == null ? own(message) : own(message) + "\0" + message.successor.stored();
    }

    private static String own(Live message) {
        String token = message.token == null ? "-" : message.token;
        String counts = message.countText();
        if (message.token != null
                && message.attempts == 1
                && message.failures.isEmpty()
                && counts.length() < 2
                && !message.moved) {
            return token + counts;
        }
        return token + " " + message.attempts + counts + " " + message.deliveryDue + " " + message.failures;
    }
}
