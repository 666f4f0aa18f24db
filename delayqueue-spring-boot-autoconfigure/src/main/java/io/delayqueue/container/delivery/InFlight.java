package io.delayqueue.container.delivery;

import io.delayqueue.store.Renewal;
import io.delayqueue.store.Settle;
import io.delayqueue.store.StepRequest;
import java.util.List;

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

    boolean isGone(SettleBuffer.Entry entry, List<Settle> gone) {
        // by identity: equal settles of one id would be one
        for (Settle settle : gone) {
            if (settle == entry.settle()) {
                return true;
            }
        }
        return false;
    }

    boolean isLost(LeaseKeeper.Due due, List<Renewal> lost) {
        for (Renewal renewal : lost) {
            if (renewal == due.renewal()) {
                return true;
            }
        }
        return false;
    }
}
