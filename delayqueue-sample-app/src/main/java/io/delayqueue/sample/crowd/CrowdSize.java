package io.delayqueue.sample.crowd;

/** How many customers come by themselves. */
public enum CrowdSize {
    /** None. */
    NONE(0),
    /** One a second. */
    FEW(1),
    /** Twenty a second. */
    MANY(20);

    private final int perSecond;

    CrowdSize(int perSecond) {
        this.perSecond = perSecond;
    }

    int perSecond() {
        return perSecond;
    }
}
