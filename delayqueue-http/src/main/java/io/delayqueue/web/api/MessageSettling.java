package io.delayqueue.web.api;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import io.delayqueue.message.Completions;
import io.delayqueue.template.receive.Leases;
import io.delayqueue.template.receive.Receipt;
import io.delayqueue.web.api.request.SettleAction;
import io.delayqueue.web.api.request.SettleRequest;
import io.delayqueue.web.api.response.Problem;
import io.delayqueue.web.api.response.SettleResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Settles received messages by their receipts. Thread-safe. No method blocks, and each future completes normally within
 * the timeout.
 *
 * @param leases settles leased messages
 * @param timeout maximum time for which a client waits for Redis; later, the settlement is still retried
 */
public record MessageSettling(Leases leases, Duration timeout) {

    /**
     * The result of a settlement.
     *
     * @param failure why the message was not settled, or why the outcome is unknown; null if it was settled
     */
    record Settled(Receipt receipt, @Nullable Throwable failure) {

        void orThrow() {
            if (failure != null) {
                throw Completions.unchecked(failure);
            }
        }

        SettleResponse response(String requestId) {
            Problem problem = failure == null ? null : Problems.logged(failure, false, requestId);
            return SettleResponse.of(receipt.topic(), receipt.id(), problem);
        }
    }

    /**
     * Settles messages together, so that the settlements of a shard share round trips.
     *
     * @return the results in the same order
     */
    CompletableFuture<List<Settled>> all(List<SettleRequest> settlements) {
        List<Receipt> receipts =
                settlements.stream().map(SettleRequest::parsedReceipt).toList();
        List<CompletableFuture<Boolean>> begun = new ArrayList<>(receipts.size());
        leases.together(all -> {
            for (int i = 0; i < receipts.size(); i++) {
                SettleRequest each = settlements.get(i);
                begun.add(begin(all, receipts.get(i), each.action(), each.delay(), each.reason(), each.lease()));
            }
        });
        return Completions.all(IntStream.range(0, receipts.size())
                .mapToObj(i -> result(receipts.get(i), begun.get(i)))
                .toList());
    }

    /**
     * Settles a message.
     *
     * @param delay for {@link SettleAction#RETRY}, by default zero, {@link SettleAction#POSTPONE},
     *     {@link SettleAction#LET_OTHERS_PASS} and {@link SettleAction#HOLD}
     * @param reason for {@link SettleAction#RETRY} and {@link SettleAction#DEAD_LETTER}; optional
     * @param lease for {@link SettleAction#EXTEND}
     */
    CompletableFuture<Settled> one(
            Receipt receipt,
            SettleAction action,
            @Nullable Duration delay,
            @Nullable String reason,
            @Nullable Duration lease) {
        return result(receipt, begin(leases, receipt, action, delay, reason, lease));
    }

    private CompletableFuture<Settled> result(Receipt receipt, CompletableFuture<Boolean> begun) {
        return begun.orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                .handle((accepted, failure) -> new Settled(receipt, failure(receipt, accepted, failure)));
    }

    private static CompletableFuture<Boolean> begin(
            Leases leases,
            Receipt receipt,
            SettleAction action,
            @Nullable Duration delay,
            @Nullable String reason,
            @Nullable Duration lease) {
        return Completions.call(() -> settle(leases, receipt, action, delay, reason, lease));
    }

    private static CompletableFuture<Boolean> settle(
            Leases leases,
            Receipt receipt,
            SettleAction action,
            @Nullable Duration delay,
            @Nullable String reason,
            @Nullable Duration lease) {
        String text = receipt.toString();
        return switch (action) {
            case ACKNOWLEDGE -> leases.acknowledge(text);
            case RETRY ->
                leases.retry(
                        text,
                        requireNonNullElse(delay, Duration.ZERO),
                        requireNonNullElse(reason, "requested by the receiver"));
            case POSTPONE -> leases.postpone(text, requireNonNull(delay));
            case LET_OTHERS_PASS -> leases.letOthersPass(text, requireNonNull(delay));
            case HOLD -> leases.holdTopic(text, requireNonNull(delay));
            case DEAD_LETTER -> leases.deadLetter(text, requireNonNullElse(reason, "dead-lettered by the receiver"));
            case EXTEND -> leases.extendLease(text, requireNonNull(lease));
            case RELEASE -> leases.release(text);
        };
    }

    private static @Nullable Throwable failure(
            Receipt receipt, @Nullable Boolean accepted, @Nullable Throwable failure) {
        if (accepted == null) {
            Throwable cause = failure == null
                    ? new IllegalStateException("The settlement ended without a result")
                    : Completions.cause(failure);
            return cause instanceof TimeoutException
                    ? ProblemType.OUTCOME_UNKNOWN.exception(
                            "Redis did not reply in time, and the command is retried in the background. Repeating the"
                                    + " request is safe. If the repetition finds that the lease is lost, this request may have"
                                    + " succeeded.")
                    : cause;
        }
        return accepted
                ? null
                : new ProblemException(ProblemType.LEASE_LOST
                        .problem("Message '" + receipt.id() + "' of topic '" + receipt.topic()
                                + "' is no longer leased under this receipt: it was settled, cancelled or replaced, or its"
                                + " lease ended. Nothing changed.")
                        .about(receipt.topic(), receipt.id()));
    }

    /**
     * Throws an exception whose status asks the client to repeat the request, if each settlement failed for a reason that
     * may be temporary.
     */
    static void rejectIfNoneIsCertain(List<Settled> results) {
        boolean unknown = false;
        for (Settled result : results) {
            Throwable failure = result.failure();
            if (failure == null || !Problems.isTemporary(failure)) {
                return;
            }
            unknown |= Problems.problem(failure, false).status() == ProblemType.OUTCOME_UNKNOWN.status();
        }
        throw unknown
                ? ProblemType.OUTCOME_UNKNOWN.exception(
                        "Redis did not reply or confirm: it is unknown which of the " + results.size()
                                + " settlements took effect. Repeating the request is safe. A settlement that took effect"
                                + " before then has the outcome lease-lost.")
                : ProblemType.UNAVAILABLE.exception("None of the " + results.size()
                        + " settlements took effect, because Redis did not execute them. Repeat the request later.");
    }
}
