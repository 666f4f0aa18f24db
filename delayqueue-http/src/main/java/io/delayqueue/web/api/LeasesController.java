package io.delayqueue.web.api;

import io.delayqueue.management.guard.Permission;
import io.delayqueue.web.api.MessageSettling.Settled;
import io.delayqueue.web.api.request.DeadLetterRequest;
import io.delayqueue.web.api.request.EmptyRequest;
import io.delayqueue.web.api.request.ExtendRequest;
import io.delayqueue.web.api.request.HoldRequest;
import io.delayqueue.web.api.request.PostponeRequest;
import io.delayqueue.web.api.request.RetryRequest;
import io.delayqueue.web.api.request.SettleAction;
import io.delayqueue.web.api.request.SettleAllRequest;
import io.delayqueue.web.api.response.SettleAllResponse;
import io.delayqueue.web.guard.Requires;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;

/**
 * Settles received messages by their receipts. A late settlement is rejected and changes nothing. Thread-safe. Holds no
 * thread while waiting for Redis.
 */
@Controller
public class LeasesController extends ApiController {

    private static final String LEASE = BASE + "/leases/{receipt}";

    private final MessageSettling settling;
    private final ApiSettings settings;

    /** Creates a controller. */
    public LeasesController(MessageSettling settling, ApiSettings settings) {
        this.settling = settling;
        this.settings = settings;
    }

    /** Acknowledges the message: its handling has succeeded, and it is deleted. */
    @PostMapping(LEASE + "/acknowledge")
    @Requires(Permission.CONSUME)
    public PendingResponse<Void> acknowledge(Call call, EmptyRequest request) {
        return respond(settling.one(call.receipt(), SettleAction.ACKNOWLEDGE, null, null, null));
    }

    /** Delivers the message again, or dead-letters it if this was its last permitted attempt. */
    @PostMapping(LEASE + "/retry")
    @Requires(Permission.CONSUME)
    public PendingResponse<Void> retry(Call call, RetryRequest request) {
        return respond(settling.one(call.receipt(), SettleAction.RETRY, request.delay(), request.reason(), null));
    }

    /**
     * Delivers the message again after a delay, without counting the attempt; dead-letters it if it was postponed as often
     * as permitted.
     */
    @PostMapping(LEASE + "/postpone")
    @Requires(Permission.CONSUME)
    public PendingResponse<Void> postpone(Call call, PostponeRequest request) {
        return respond(settling.one(call.receipt(), SettleAction.POSTPONE, request.delay(), null, null));
    }

    /**
     * Postpones the message, and lets other messages of its key be delivered until then. In a topic that is not ordered
     * it is only postponed.
     */
    @PostMapping(LEASE + "/let-others-pass")
    @Requires(Permission.CONSUME)
    public PendingResponse<Void> letOthersPass(Call call, PostponeRequest request) {
        return respond(settling.one(call.receipt(), SettleAction.LET_OTHERS_PASS, request.delay(), null, null));
    }

    /**
     * Holds the topic, which must have one shard: the message, and any other one of the topic, is delivered after the delay.
     * The attempt does not count.
     */
    @PostMapping(LEASE + "/hold")
    @Requires(Permission.CONSUME)
    public PendingResponse<Void> hold(Call call, HoldRequest request) {
        return respond(settling.one(call.receipt(), SettleAction.HOLD, request.delay(), null, null));
    }

    /** Dead-letters the message. */
    @PostMapping(LEASE + "/dead-letter")
    @Requires(Permission.CONSUME)
    public PendingResponse<Void> deadLetter(Call call, DeadLetterRequest request) {
        return respond(settling.one(call.receipt(), SettleAction.DEAD_LETTER, null, request.reason(), null));
    }

    /** Extends the lease to at least a given time from now. */
    @PostMapping(LEASE + "/extend")
    @Requires(Permission.CONSUME)
    public PendingResponse<Void> extend(Call call, ExtendRequest request) {
        return respond(settling.one(call.receipt(), SettleAction.EXTEND, null, null, request.lease()));
    }

    /**
     * Releases the message as if it had not been received: its due time is unchanged, and the attempt does not count.
     */
    @PostMapping(LEASE + "/release")
    @Requires(Permission.CONSUME)
    public PendingResponse<Void> release(Call call, EmptyRequest request) {
        return respond(settling.one(call.receipt(), SettleAction.RELEASE, null, null, null));
    }

    /**
     * Settles several messages independently of each other. Responds with 200 and one result per settlement, in the same
     * order.
     */
    @PostMapping(BASE + "/settle")
    @Requires(Permission.CONSUME)
    public PendingResponse<SettleAllResponse> settleAll(Call call, SettleAllRequest request) {
        settings.checkSize("settlements", request.settlements());
        call.requireTopicsOf(request.settlements());
        String requestId = RequestId.of(call.request());
        return PendingResponse.of(settling.all(request.settlements()), results -> {
            MessageSettling.rejectIfNoneIsCertain(results);
            return Response.ok(new SettleAllResponse(
                    results.stream().map(each -> each.response(requestId)).toList()));
        });
    }

    private static PendingResponse<Void> respond(CompletableFuture<Settled> settling) {
        return PendingResponse.of(settling, settled -> {
            settled.orThrow();
            return Response.empty(204);
        });
    }
}
