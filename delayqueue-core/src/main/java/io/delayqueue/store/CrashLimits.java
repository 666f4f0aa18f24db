package io.delayqueue.store;

import io.delayqueue.message.InvalidOptionException;

/**
 * How often leases of a message may end without a settlement. Such an end is a crash: the process was killed or did not
 * respond. A settlement resets the count.
 *
 * @param isolateAfterCrashes number of crashes from which on a message is a suspect, and is handled in isolation, 1 to 1,000
 * @param crashLimit number of crashes in isolation after which a message is dead-lettered, 1 to 1,000
 */
public record CrashLimits(int isolateAfterCrashes, int crashLimit) {

    /** The default values: 2 and 3. */
    public static final CrashLimits DEFAULTS = new CrashLimits(2, 3);

    /**
     * Checks the ranges.
     *
     * @throws InvalidOptionException if a value is out of its range
     */
    public CrashLimits {
        InvalidOptionException.requireRange("isolateAfterCrashes", isolateAfterCrashes, 1, 1000);
        InvalidOptionException.requireRange("crashLimit", crashLimit, 1, 1000);
    }
}
