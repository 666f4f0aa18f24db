package io.delayqueue.container.delivery;

import io.delayqueue.store.StepRequest;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * A step from its first sending to its answer; it is repeated as it is until there is one.
 *
 * @param sentAt when it was first sent, by the monotonic clock: leases count from here
 */
record InFlight(
        StepRequest request,
        List<SettleBuffer.Entry> settles,
        List<LeaseKeeper.Due> renewals,
        Lookout.Reason reason,
        long sentAt) {

    /** The same work in another request. */
    InFlight repeatedAs(StepRequest other) {
        return new InFlight(other, settles, renewals, reason, sentAt);
    }

    /** By identity, since equal settles of one id are two. */
    static Set<Object> identities(Collection<?> refused) {
        Set<Object> identities = Collections.newSetFromMap(new IdentityHashMap<>());
        identities.addAll(refused);
        return identities;
    }
}
