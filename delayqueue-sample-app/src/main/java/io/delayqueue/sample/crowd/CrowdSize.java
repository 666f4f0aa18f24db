package io.delayqueue.sample.crowd;

/** The rate of simulated customers. */
public enum CrowdSize {
    /** None. */
    NONE(0),
    /** One per second. */
    FEW(1),
    /** Twenty per second. */
    MANY(20);

    private final int perSecond;

    CrowdSize(int perSecond) {
        this.perSecond = perSecond;
    }

    int perSecond() {
        return perSecond;
    }
}
